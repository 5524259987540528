import { NO_POSTINGS, type PostingRules } from '#libs/contexts/ledger';
import type { CreditTypeEvent } from './credit-types/events.js';
import type { WalletEvent } from './wallets/events.js';
import { walletPostings, type WalletPostingState } from './wallets/postings.js';

/** The posting rules of credits. Events of credit types change no money, so they have no postings. */
export const postings: PostingRules<CreditTypeEvent | WalletEvent, WalletPostingState> = {
  CreditTypeCreated: NO_POSTINGS,
  CreditTypeUpdated: NO_POSTINGS,
  CreditRateAdded: NO_POSTINGS,
  CreditRateRemoved: NO_POSTINGS,
  CreditAllowanceAdded: NO_POSTINGS,
  CreditAllowanceRemoved: NO_POSTINGS,
  ...walletPostings,
};
