export { createApiApp } from './http/create-app.js';
export { openApiDocumentWithoutDatabases } from './http/openapi/without-databases.js';
