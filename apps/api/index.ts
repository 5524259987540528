export { createApiApp } from './http/create-app.js';
export { openApiDocument } from './http/openapi.js';
