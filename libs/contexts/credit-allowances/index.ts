export { CreditAllowancesModule } from './credit-allowances.module.js';
