export {
  RecurringRevenueQueries,
  type MovementTotal,
  type RevenueByPlannedEnd,
} from './recurring-revenue-queries.js';
export { RecurringRevenueReadModule } from './recurring-revenue-read.module.js';
export { MOVEMENT_KINDS, type MovementKind } from './recurring-revenue-row.js';
