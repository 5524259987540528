export { createCreditClaimFinder } from './charging/credit-costs.js';
export { requiredCredits } from './charging/wallet-check.js';
export { CreditCostDirectory, CreditGate, type WorkspaceCosts } from './charging/credit-gate.js';
export { CreditsModule } from './credits.module.js';
export { CreditTypeReferences, type PlanAllowance } from './credit-types/credit-type-references.js';
export { SubscriptionByPriceFinder } from './credit-types/subscription-by-price-finder.js';
export { ChangeCreditType } from './credit-types/commands/change-credit-type.js';
export { CreateCreditType } from './credit-types/commands/create-credit-type.js';
export { CreditTypes } from './credit-types/credit-types.js';
export {
  creditTypeDecider,
  rateInForceAt,
  ratesOf,
  type AddedRate,
  type CreditType,
} from './credit-types/credit-type.js';
export {
  ALLOWANCE_INTERVALS,
  PLAN_CHANGE_GRANTS,
  DEFAULT_RETURNED_PURCHASE_POLICY,
  RETURNED_PURCHASE_POLICIES,
  type AllowanceInterval,
  type PlanChangeGrant,
  type CreditAllowance,
  type CreditTypeDetails,
  type ReturnedPurchasePolicy,
} from './credit-types/events.js';
export { presentAllowance, presentCreditType, presentRate } from './credit-types/present.js';
export { MAX_RATE_GROUPS, readRateGroups } from './credit-types/rate-groups.js';
export { ChangeAutoTopUp } from './wallets/commands/change-auto-top-up.js';
export { describeDiscountedPurchase, isBelowListPrice } from './wallets/proposed-grant.js';
export { GrantCredits } from './wallets/commands/grant-credits.js';
export { VoidCredits } from './wallets/commands/void-credits.js';
export {
  DEFAULT_BLOCK_PRIORITY,
  PURCHASE_COLLECTIONS,
  PURCHASE_RETURN_CAUSES,
  type AutoTopUpSettings,
  type MetricCredits,
  type PurchaseCollection,
  type WalletEvent,
} from './wallets/events.js';
export {
  BLOCK_STATUSES,
  presentAutoTopUp,
  presentBlock,
  presentUnpaidPurchase,
  presentWallet,
} from './wallets/present.js';
export { overageAfterEvent } from './wallets/overage.js';
export { TrialFinder } from './wallets/trial-finder.js';
export { DrawDownRecorder } from './wallets/draw-down-recorder.js';
export { RefusalRecorder } from './wallets/refusal-recorder.js';
export { isWalletEvent } from './wallets/wallet-history.js';
export { WalletReplay, type ReplayedBalance } from './wallets/wallet-replay.js';
export { WalletRebuilder } from './wallets/wallet-rebuilder.js';
export { readAllWalletKeys, markWalletChanging, type WalletRowKey } from './wallets/wallet-rows.js';
export { WalletVerifier } from './wallets/wallet-verifier.js';
export { WalletReader } from './wallets/wallet-reader.js';
export { WalletStore, type WalletChange } from './wallets/wallet-store.js';
export { walletDecider } from './wallets/decider.js';
export { startOfNextMonth, requireAutoTopUp } from './wallets/decisions/auto-top-up.js';
export type { CreditPurchaseRequest } from './wallets/decisions/wallet-command.js';
export {
  balanceAt,
  walletId,
  type GrantedAllowance,
  type UnpaidPurchase,
  type Wallet,
  type WalletBlock,
  type WalletKey,
} from './wallets/wallet.js';
export {
  LEDGER_ENTRY_TYPES,
  ledgerEntryOf,
  presentWalletEntry,
  type LedgerEntryType,
  type WalletLedgerEntry,
} from './wallets/ledger-entry.js';
