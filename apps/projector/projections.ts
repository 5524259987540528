import type { Projection } from '#libs/kernel/projection';
import { auditProjection } from '#projections/audit';
import { balancesProjection, balanceTransactionsProjection } from '#projections/balances';
import { billedInvoicesProjection, billingRunsProjection } from '#projections/billing';
import { couponsProjection, customerCouponsProjection } from '#projections/coupons';
import { customersProjection } from '#projections/customers';
import { invoicesProjection } from '#projections/invoices';
import { ledgerProjection } from '#projections/ledger';
import { metricsProjection } from '#projections/metrics';
import { migrationOutcomesProjection, priceMigrationsProjection } from '#projections/price-migrations';
import { plansProjection } from '#projections/plans';
import { pricesProjection } from '#projections/prices';
import { subscriptionsProjection } from '#projections/subscriptions';
import { taxRatesProjection } from '#projections/tax-rates';
import { webhooksProjection } from '#projections/webhooks';

/** Every read model. */
export const projections: Projection[] = [
  couponsProjection,
  customerCouponsProjection,
  customersProjection,
  metricsProjection,
  pricesProjection,
  plansProjection,
  subscriptionsProjection,
  taxRatesProjection,
  invoicesProjection,
  balancesProjection,
  balanceTransactionsProjection,
  billingRunsProjection,
  billedInvoicesProjection,
  priceMigrationsProjection,
  migrationOutcomesProjection,
  webhooksProjection,
  auditProjection,
  ledgerProjection,
];
