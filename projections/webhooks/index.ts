export { WebhookQueries } from './webhook-queries.js';
export { WebhooksReadModule } from './webhooks-read.module.js';
