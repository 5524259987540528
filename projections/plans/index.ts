export { PlanQueries } from './plan-queries.js';
export { PlansReadModule } from './plans-read.module.js';
