# One target for each process: docker build --target gateway --tag ops/gateway .
# The layout of the workspace is kept, for Node strips no types below node_modules: docs/decisions/images.md

FROM node:24-bookworm-slim AS workspace
WORKDIR /app
RUN npm install --global --no-fund --no-update-notifier pnpm@12.21.0
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch --prod && rm -rf node_modules
COPY package.json ./
COPY gateway/package.json gateway/
COPY packages/bus/package.json packages/bus/
COPY packages/contracts/package.json packages/contracts/
COPY packages/demo/package.json packages/demo/
COPY packages/deployment/package.json packages/deployment/
COPY packages/dev-idp/package.json packages/dev-idp/
COPY packages/embedded/package.json packages/embedded/
COPY packages/following/package.json packages/following/
COPY packages/machine/package.json packages/machine/
COPY packages/imports/package.json packages/imports/
COPY packages/ops-ui/package.json packages/ops-ui/
COPY packages/provider-sim/package.json packages/provider-sim/
COPY packages/providers/package.json packages/providers/
COPY packages/service-kit/package.json packages/service-kit/
COPY packages/test-kit/package.json packages/test-kit/
COPY packages/test-system/package.json packages/test-system/
COPY services/comms-service/package.json services/comms-service/
COPY services/notifier/package.json services/notifier/
COPY services/renewals-service/package.json services/renewals-service/
COPY services/webhook-ingest/package.json services/webhook-ingest/

FROM workspace AS pages
RUN pnpm install --frozen-lockfile --filter @ops/ops-ui...
COPY tsconfig.json ./
COPY packages/contracts packages/contracts
COPY packages/ops-ui packages/ops-ui
RUN node packages/ops-ui/build.ts

# What a process needs from the registry, and links to those packages of the workspace that it runs (`filter-prod`: not to what tests want).
FROM workspace AS gateway-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/gateway...
FROM workspace AS comms-service-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/comms-service...
FROM workspace AS renewals-service-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/renewals-service...
FROM workspace AS webhook-ingest-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/webhook-ingest...
FROM workspace AS notifier-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/notifier...
FROM workspace AS migrate-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/deployment --filter-prod @ops/service-kit...
# Of the services their lists of migrations alone, which name packages of ours and want none of what a service needs from the registry.
RUN mkdir services/node_modules && ln -s ../../packages services/node_modules/@ops
FROM workspace AS demo-modules
RUN pnpm install --prod --offline --frozen-lockfile --filter-prod @ops/demo... --filter-prod @ops/dev-idp... --filter-prod @ops/provider-sim...

# Sources belong to root and the process runs as somebody else (node, by number, since a cluster asks whether it is root): it can
# change nothing of what it runs.
FROM node:24-bookworm-slim AS process
WORKDIR /app
# What was just made is looked through more often: a fifth less memory for some hundredths of processor time more. And what
# only starting needed is given back once it is over.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=4 --expose-gc" MALLOC_ARENA_MAX=2 HOST=0.0.0.0 PORT=8080 METRICS_PORT=9090
EXPOSE 8080 9090
USER 1000:1000
# It asks itself, so a certificate has nothing to prove; and it is for the name by which others call.
HEALTHCHECK --interval=5s --timeout=10s --start-period=180s --retries=6 \
  CMD ["node", "--eval", "const { env } = process; const secure = env.TLS_CERT_FILE || env.TLS_CERT; require(secure ? 'https' : 'http').get({ host: '127.0.0.1', port: env.PORT, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]

FROM process AS gateway
# For a volume, which takes its owner from here.
USER root
RUN install --directory --owner=1000 --group=1000 --mode=750 /access
USER 1000:1000
COPY --from=gateway-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY --from=pages /app/packages/ops-ui/dist packages/ops-ui/dist
COPY gateway gateway
CMD ["node", "gateway/src/main.ts"]

FROM process AS comms-service
COPY --from=comms-service-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/providers packages/providers
COPY packages/imports packages/imports
COPY packages/following packages/following
COPY services/comms-service services/comms-service
CMD ["node", "services/comms-service/src/main.ts"]

FROM process AS renewals-service
COPY --from=renewals-service-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/imports packages/imports
COPY packages/following packages/following
COPY services/renewals-service services/renewals-service
CMD ["node", "services/renewals-service/src/main.ts"]

FROM process AS webhook-ingest
COPY --from=webhook-ingest-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/providers packages/providers
COPY services/webhook-ingest services/webhook-ingest
CMD ["node", "services/webhook-ingest/src/main.ts"]

FROM process AS notifier
COPY --from=notifier-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/providers packages/providers
COPY packages/following packages/following
COPY services/notifier services/notifier
CMD ["node", "services/notifier/src/main.ts"]

# Does one thing and ends: roles, schemas and every service's migrations.
FROM process AS migrate
HEALTHCHECK NONE
COPY --from=migrate-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/deployment packages/deployment
COPY gateway/migrations gateway/migrations
COPY gateway/src/migrations.ts gateway/src/
COPY packages/imports/migrations packages/imports/migrations
COPY packages/imports/src/migrations.ts packages/imports/src/
COPY services/comms-service/migrations services/comms-service/migrations
COPY services/comms-service/src/migrations.ts services/comms-service/src/
COPY services/renewals-service/migrations services/renewals-service/migrations
COPY services/renewals-service/src/migrations.ts services/renewals-service/src/
COPY services/webhook-ingest/migrations services/webhook-ingest/migrations
COPY services/webhook-ingest/src/migrations.ts services/webhook-ingest/src/
COPY services/notifier/migrations services/notifier/migrations
COPY services/notifier/src/migrations.ts services/notifier/src/
CMD ["node", "packages/deployment/src/migrate-command.ts"]

# The world around it, for trying: people who sign in, providers and customers. What it keeps lies in /data.
FROM process AS demo
USER root
RUN install --directory --owner node --group node /data
USER 1000:1000
ENV DATA_DIR=/data
COPY --from=demo-modules /app ./
COPY packages/contracts packages/contracts
COPY packages/bus packages/bus
COPY packages/service-kit packages/service-kit
COPY packages/providers packages/providers
COPY packages/dev-idp packages/dev-idp
COPY packages/provider-sim packages/provider-sim
COPY packages/demo packages/demo

FROM demo AS dev-idp
CMD ["node", "packages/dev-idp/src/main.ts"]

FROM demo AS provider-sim
CMD ["node", "packages/provider-sim/src/main.ts"]

FROM demo AS demo-seed
HEALTHCHECK NONE
CMD ["node", "packages/demo/src/seed-command.ts"]
