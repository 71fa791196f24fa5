# Lacuna with Open MPI: for one container, and for the launcher and workers of an MPI job.
# docker build -t lacuna .
FROM node:20-bookworm-slim AS built
WORKDIR /lacuna
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends openmpi-bin openssh-client openssh-server \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /run/sshd
COPY --from=built /lacuna/node_modules /lacuna/node_modules
COPY --from=built /lacuna/packages /lacuna/packages
RUN ln -s /lacuna/packages/cli/dist/lacuna.js /usr/local/bin/lacuna
WORKDIR /data
CMD ["lacuna", "--help"]
