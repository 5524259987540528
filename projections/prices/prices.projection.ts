import { priceDecider } from '#libs/contexts/catalog';
import { snapshotProjection } from '#libs/kernel/projection';
import { PriceRow } from './price-row.js';

/** All prices with their present state, for `GET /v1/prices`. */
export const pricesProjection = snapshotProjection({
  name: 'prices',
  version: 3,
  entity: PriceRow,
  decider: priceDecider,
  columnsOf: ({ price }) => ({
    live: price !== null && !price.deleted,
    licenseTypeIds: [
      ...new Set(
        price?.versions.flatMap(({ licenseTypeId }) => (licenseTypeId === null ? [] : [licenseTypeId])),
      ),
    ],
  }),
});
