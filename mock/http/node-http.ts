/** Node's `http` as it is required: imported it makes Node load its client and its web sockets, a tenth of a start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
