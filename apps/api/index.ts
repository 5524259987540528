export { createApiApp } from './http/create-app.js';
export { documentWithoutServers } from './http/openapi/without-servers.js';
