import type { WebhookSchemas } from '../http/index.js';
import { PriceMigrationSummaryView } from './price-migration.dto.js';

/** The OpenAPI schemas of the webhook events about price migrations. */
export const priceMigrationWebhooks: WebhookSchemas = {
  resources: { price_migration: PriceMigrationSummaryView },
  additionalFields: {},
  wholeData: {},
};
