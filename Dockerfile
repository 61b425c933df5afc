# Serves the mock: docker build -t record-model . && docker run --rm -p 4010:4010 record-model
FROM node:24-slim AS build
WORKDIR /kit
COPY . .
RUN npm ci --no-audit --no-fund

FROM node:24-slim
WORKDIR /kit
COPY --from=build /kit/package.json ./
COPY --from=build /kit/dist ./dist
COPY --from=build /kit/spec ./spec
COPY --from=build /kit/fixtures/demo ./fixtures/demo
COPY --from=build /kit/conformance/results.schema.json ./conformance/results.schema.json
COPY --from=build /kit/mock/control/docs ./mock/control/docs
USER node
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/__mock/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--no-deprecation", "dist/cli.js"]
# To let other containers use another name of this one, add --allow-host NAME.
CMD ["mock", "--host", "0.0.0.0", "--allow-host", "mock"]
