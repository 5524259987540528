import { defineContext, NONE } from '#libs/manifest';
import { couponDecider } from './coupon.js';
import { customerCouponsDecider } from './customer-coupons.js';
import { auditRules } from './audit-rules.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [couponDecider, customerCouponsDecider],
  auditRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['coupon', 'red'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
