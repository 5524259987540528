import { defineReadModels } from '#libs/kernel/projection';
import { couponsProjection } from './coupons.projection.js';
import { customerCouponsProjection } from './customer-coupons.projection.js';

export default defineReadModels({
  projections: [couponsProjection, customerCouponsProjection],
  adapters: [],
});
