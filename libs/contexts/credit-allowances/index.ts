export { CreditAllowancesModule } from './credit-allowances.module.js';
export { SubscriptionAllowances } from './subscription-allowances.js';
