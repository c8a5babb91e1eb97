# The image: the executable, the C library that it needs, and nothing else. Build the executable first:
#   npm run build:executable && docker build -t petstore .
# With Podman: podman build --format docker -t petstore . (an image in its default format has no health check)
ARG DEBIAN=docker.io/library/debian:bookworm-slim
FROM ${DEBIAN} AS debian

FROM scratch
# Each processor has its loader in one of these two folders.
COPY --from=debian /usr/lib/*-linux-gnu/ld-linux-*.so.* /lib64/
COPY --from=debian /usr/lib/*-linux-gnu/ld-linux-*.so.* /usr/lib/*-linux-gnu/libc.so.6 /usr/lib/*-linux-gnu/libm.so.6 /usr/lib/*-linux-gnu/libdl.so.2 /usr/lib/*-linux-gnu/libpthread.so.0 /usr/lib/*-linux-gnu/libresolv.so.2 /lib/
# The licence of that library. The notices of all else are beside the executable.
COPY --from=debian /usr/share/doc/libc6/copyright /usr/share/doc/libc6/
COPY dist/petstore dist/THIRD-PARTY-NOTICES.txt /
# An empty folder that the user of the image owns; a new volume takes its owner over.
COPY --from=debian --chown=65532:65532 /srv /data
USER 65532:65532
# The store's default, data/petstore.db, is then in /data. PETSTORE_DATABASE is not set, because PETSTORE_DATABASE_FILE would contradict it.
WORKDIR /
VOLUME /data
ENV PETSTORE_HOST=0.0.0.0
EXPOSE 8080
STOPSIGNAL SIGTERM
# To use another address, set PETSTORE_HOST and PETSTORE_PORT instead of flags, so that the check uses it, too.
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/petstore", "health"]
ENTRYPOINT ["/petstore"]
CMD ["serve"]
