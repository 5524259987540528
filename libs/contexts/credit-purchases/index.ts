export { PurchaseCredits, type CreditPurchaseResult } from './commands/purchase-credits.js';
export { VoidCreditBlock } from './commands/void-credit-block.js';
export { CreditPurchasesModule } from './credit-purchases.module.js';
export { PURCHASE_STATUSES, presentPurchase } from './present.js';
