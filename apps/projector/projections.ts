import type { Projection } from '#libs/projection';
import { customersProjection } from '#projections/customers';
import { invoicesProjection } from '#projections/invoices';
import { metricsProjection } from '#projections/metrics';
import { plansProjection } from '#projections/plans';
import { pricesProjection } from '#projections/prices';

/** Every read model. */
export const projections: Projection[] = [
  customersProjection,
  metricsProjection,
  pricesProjection,
  plansProjection,
  invoicesProjection,
];
