import { defineApi } from '../http/index.js';
import { ExportedRedemptionView } from './coupon.dto.js';
import { CouponsApiModule } from './coupons.api.module.js';

export default defineApi({
  module: CouponsApiModule,
  tags: [
    { name: 'Coupons', group: 'catalog', description: 'Discounts, and the customers who get the discounts.' },
  ],
  customerData: { coupons: ExportedRedemptionView },
});
