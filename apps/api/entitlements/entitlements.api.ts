import { defineApi } from '../http/index.js';
import { ExportedEntitlementGrantView } from './entitlement.dto.js';
import { EntitlementsApiModule } from './entitlements.api.module.js';

export default defineApi({
  module: EntitlementsApiModule,
  tags: [
    {
      name: 'Entitlements',
      group: 'customers',
      description:
        'The features that a customer may use: the features of its plans, and features that were granted to the customer directly.',
    },
  ],
  customerData: { entitlementGrants: ExportedEntitlementGrantView },
});
