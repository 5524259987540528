import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Period } from '#libs/rating';
import type { CreditAllowance, CreditTypeDetails } from '../../credit-types/events.js';
import type { AutoTopUpSettings, CreditPurchase, GrantedBlock, MetricCredits, UsageDraw } from '../events.js';
import type { WalletKey } from '../wallet.js';

/** A grant as a client asks for it. Absent fields have the defaults of the credit type. */
export type CreditGrant = Omit<GrantedBlock, 'blockId' | 'effectiveAt' | 'expiresAt' | 'currency'> & {
  /** If absent, it is now. */
  effectiveAt?: Instant | undefined;
  /** If null, the credits never expire. If absent, they expire after the days of the credit type. */
  expiresAt?: Instant | null | undefined;
  currency?: string | undefined;
};

/** A purchase as a client asks for it. Absent fields have the defaults of the credit type. */
export type CreditPurchaseRequest = Pick<CreditPurchase, 'amount' | 'collection' | 'description'> & {
  unitPrice?: DecimalString | undefined;
  currency?: string | undefined;
  expiresAt?: Instant | null | undefined;
};

/** The terms of a credit type that a wallet needs. */
export type CreditTerms = Pick<CreditTypeDetails, 'currency' | 'expiresAfterDays'>;

export type WalletCommand = WalletKey & {
  at: Instant;
  /** The id of the block that is bought if the command requires an automatic top-up. */
  topUpBlockId: string;
} & (
    | { type: 'GrantCredits'; blockId: string; grant: CreditGrant; terms: CreditTerms }
    /** Records the usage of the wallet up to a position of the usage log. It does nothing if that usage was recorded already. */
    | { type: 'DrawDownCredits'; draws: readonly UsageDraw[]; upTo: string }
    /** Ends what is left of a block at its expiry. */
    | { type: 'ExpireBlock'; blockId: string }
    /**
     * Takes back the remaining credits of a block. With `creditNote`, the invoice that paid for the block gives back the price of the rest.
     */
    | { type: 'VoidBlock'; blockId: string; reason: string | null; creditNote: boolean }
    /** Takes back an amount from the usable blocks, in their burn order. */
    | { type: 'VoidCredits'; amount: DecimalString; reason: string | null }
    /**
     * Grants an allowance for an interval. It does nothing if it was granted for that interval already. The rest of the interval before
     * expires, and the part that rolls over is added to the new block.
     */
    | {
        type: 'GrantAllowance';
        blockId: string;
        subscriptionId: string;
        allowance: CreditAllowance;
        period: Period;
        terms: Pick<CreditTerms, 'currency'>;
      }
    /** Ends what is left of an allowance. It does nothing if nothing is left. */
    | { type: 'EndAllowance'; blockId: string }
    /**
     * Takes all overage and all used credits onto an invoice. It does nothing if there are none. `unitPrice`: that of a credit of overage.
     * `needsOverage`: without overage there is no invoice, so it does nothing then.
     */
    | {
        type: 'InvoiceUsage';
        invoiceId: string;
        unitPrice: DecimalString;
        currency: string;
        needsOverage: boolean;
      }
    /** Takes overage and used credits back from an invoice that was voided. */
    | {
        type: 'ReturnUsage';
        invoiceId: string;
        overage: readonly MetricCredits[];
        used: readonly MetricCredits[];
      }
    | {
        type: 'PurchaseCredits';
        blockId: string;
        purchase: CreditPurchaseRequest;
        terms: CreditTerms & Pick<CreditTypeDetails, 'unitPrice'>;
      }
    /**
     * Makes the credits of a paid purchase usable. It does nothing if they are already. `costBasis` is the amount of the invoice's line
     * without taxes.
     */
    | {
        type: 'ActivatePurchase';
        blockId: string;
        costBasis: DecimalString;
        timezone: string;
        terms: Pick<CreditTypeDetails, 'expiresAfterDays'>;
      }
    /** Ends a purchase whose invoice was voided. It does nothing if it has ended already. */
    | { type: 'VoidPurchase'; blockId: string }
    | { type: 'SetAutoTopUp'; autoTopUp: AutoTopUpSettings }
    | { type: 'RemoveAutoTopUp' }
    /** Buys credits if the balance requires it. */
    | { type: 'TopUpCredits' }
  );

/** The wallet command of a given type. */
export type WalletCommandOf<Type extends WalletCommand['type']> = Extract<WalletCommand, { type: Type }>;
