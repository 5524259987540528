import { defineApi } from '../http/index.js';
import { BillingSettingsApiModule } from './billing-settings.api.module.js';

export default defineApi({
  module: BillingSettingsApiModule,
  tags: [],
});
