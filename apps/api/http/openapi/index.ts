export { BodyExample } from './body-example.js';
export { decimal } from './decimal.js';
export { openApiDocument } from './document.js';
export { OneOf, type Variant } from './variants.js';
export { withHeaders } from './answers.js';
export { documentWebhook } from './webhooks.js';
export { useOpenApi } from './serve.js';
export type { Operation, Schema } from './schema.js';
export { fieldSchemas, objectOf, type WebhookSchemas } from './webhook-schemas.js';
