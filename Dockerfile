# Fencehound in a container: docker build -t fencehound . && docker run --security-opt seccomp=unconfined -v "$PWD:/work" fencehound check my.c
# A program under test lies at the same addresses in each run, which the default rules of containers forbid to ask for.
FROM rust:1-bookworm AS build
COPY . /source
WORKDIR /source
RUN scripts/setup && DESTDIR=/install scripts/install /usr/local

FROM debian:bookworm-slim
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends clang-19 lld-19 libc6-dev gdb make \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /install/ /
WORKDIR /work
ENTRYPOINT ["fencehound"]
