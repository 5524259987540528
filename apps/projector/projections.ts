import type { Projection } from '#libs/projection';
import { customersProjection } from '#projections/customers';

/** Every read model. */
export const projections: Projection[] = [customersProjection];
