import { defineApi } from '../http/index.js';
import { PriceMigrationsApiModule } from './price-migrations.api.module.js';
import { priceMigrationWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: PriceMigrationsApiModule,
  tags: [
    {
      name: 'Price migrations',
      group: 'subscriptions',
      description: 'A price migration moves many subscriptions from one plan to another.',
    },
  ],
  webhooks: priceMigrationWebhooks,
});
