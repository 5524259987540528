import { defineContext, NONE } from '#libs/manifest';
import { couponDecider } from './coupon.js';
import { customerCouponsDecider } from './customer-coupons.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { CouponsModule } from './coupons.module.js';
import { CouponsProcess } from './coupons.process.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [couponDecider, customerCouponsDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['coupon', 'red'],
  tables: NONE,
  webhooks: NONE,
  background: { modules: [CouponsModule], processManagers: [CouponsProcess], workers: [], retentions: [] },
  personalData: [],
  customerData,
  answers: [],
});
