import type { WebhookSchemas } from '../http/index.js';
import { PriceMigrationSummaryView } from './price-migration.dto.js';

/** How the OpenAPI document describes what webhooks send. */
export const webhooks: WebhookSchemas = {
  resources: { price_migration: PriceMigrationSummaryView },
  beside: {},
  own: {},
};
