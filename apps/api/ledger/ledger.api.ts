import { defineApi } from '../http/index.js';
import { LedgerApiModule } from './ledger.api.module.js';

export default defineApi({
  module: LedgerApiModule,
  tags: [
    {
      name: 'Ledger',
      group: 'books',
      description: 'Double-entry bookings of all invoices and payments.',
    },
  ],
});
