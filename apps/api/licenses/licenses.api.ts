import { defineApi } from '../http/index.js';
import { LicenseView } from './license.dto.js';
import { LicensesApiModule } from './licenses.api.module.js';

export default defineApi({
  module: LicensesApiModule,
  tags: [
    {
      name: 'Licenses',
      group: 'customers',
      description:
        'Licenses are the seats of a customer that people use. Prices of the model `license` charge for seats.',
    },
  ],
  customerData: { licenses: LicenseView },
});
