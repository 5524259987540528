export { CreditAllowancesModule } from './credit-allowances.module.js';
export { AllowanceUpdater } from './allowance-updater.js';
