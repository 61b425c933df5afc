/** Mockoon with a CRUD route over so many warehouses: node mockoon.js PORT RECORDS.json */
import { readFileSync } from 'node:fs';
import commons from '@mockoon/commons';
import server from '@mockoon/commons-server';

const [port, file] = process.argv.slice(2);
const { warehouse } = JSON.parse(readFileSync(file, 'utf8'));
const bucket = { ...commons.BuildDatabucket(), name: 'warehouses', value: JSON.stringify(warehouse) };
const route = {
  ...commons.BuildCRUDRoute(true, { endpoint: 'api/model/warehouse', databucketID: bucket.id }),
};
const environment = {
  ...commons.BuildEnvironment({ hasDefaultRoute: false, hasContentTypeHeader: true, port: Number(port) }),
  data: [bucket],
  routes: [route],
  rootChildren: [{ type: 'route', uuid: route.uuid }],
};
new server.MockoonServer(environment, { disabledRoutes: [] }).start();
