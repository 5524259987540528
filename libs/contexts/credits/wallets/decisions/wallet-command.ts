import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Period } from '#libs/rating';
import type { CreditAllowance, CreditTypeDetails } from '../../credit-types/events.js';
import type { AutoTopUpSettings, CreditPurchase, GrantedBlock, MetricCredits, UsageDraw } from '../events.js';
import type { WalletKey } from '../wallet.js';

/** A client's request for a grant. Absent fields get the defaults of the credit type. */
export type CreditGrant = Omit<GrantedBlock, 'blockId' | 'effectiveAt' | 'expiresAt' | 'currency'> & {
  /** The instant from which the credits can be used. If absent, they can be used now. */
  effectiveAt?: Instant | undefined;
  /** If null, the credits never expire. If absent, they expire after the days of the credit type. */
  expiresAt?: Instant | null | undefined;
  currency?: string | undefined;
};

/** A client's request for a purchase. Absent fields get the defaults of the credit type. */
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
    /** Records the usage of the wallet up to a position of the usage log. Does nothing if that usage was recorded already. */
    | { type: 'DrawDownCredits'; draws: readonly UsageDraw[]; upTo: string }
    /** Expires what is left of a block at its expiry. */
    | { type: 'ExpireBlock'; blockId: string }
    /**
     * Takes back the remaining credits of a block. With `creditNote`, a credit note on the invoice of the block returns the price of the
     * rest.
     */
    | { type: 'VoidBlock'; blockId: string; reason: string | null; creditNote: boolean }
    /** Takes back an amount from the usable blocks, in their burn order. */
    | { type: 'VoidCredits'; amount: DecimalString; reason: string | null }
    /**
     * Grants an allowance for an interval. Does nothing if it was granted for that interval already. The rest of the earlier interval's
     * block expires. The part that rolls over is added to the new block.
     */
    | {
        type: 'GrantAllowance';
        blockId: string;
        subscriptionId: string;
        allowance: CreditAllowance;
        period: Period;
        terms: Pick<CreditTerms, 'currency'>;
      }
    /** Ends the rest of an allowance. Does nothing if nothing is left. */
    | { type: 'EndAllowance'; blockId: string }
    /**
     * Moves all overage and all used credits to an invoice. Does nothing if there are none. `unitPrice` is the price of one credit of
     * overage. With `needsOverage`, it also does nothing if there is no overage, because no invoice is made then.
     */
    | {
        type: 'InvoiceUsage';
        invoiceId: string;
        unitPrice: DecimalString;
        currency: string;
        needsOverage: boolean;
      }
    /** Moves overage and used credits of a voided invoice back to the wallet. */
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
     * Makes the credits of a paid purchase usable. Does nothing if they are usable already. `costBasis` is the amount of the invoice's line
     * without taxes.
     */
    | {
        type: 'ActivatePurchase';
        blockId: string;
        costBasis: DecimalString;
        timezone: string;
        terms: Pick<CreditTypeDetails, 'expiresAfterDays'>;
      }
    /** Ends a purchase whose invoice was voided. Does nothing if the purchase has ended already. */
    | { type: 'VoidPurchase'; blockId: string }
    | { type: 'SetAutoTopUp'; autoTopUp: AutoTopUpSettings }
    | { type: 'RemoveAutoTopUp' }
    /** Buys credits if the balance requires it. */
    | { type: 'TopUpCredits' }
  );

/** The wallet command of a given type. */
export type WalletCommandOf<Type extends WalletCommand['type']> = Extract<WalletCommand, { type: Type }>;
