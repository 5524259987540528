import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Period, TaxAmount } from '#libs/rating';
import type {
  CreditAllowance,
  CreditTypeDetails,
  ReturnedPurchasePolicy,
} from '../../credit-types/events.js';
import type { AutoTopUpSettings, CreditPurchase, GrantedBlock, MetricCredits, UsageDraw } from '../events.js';
import type { WalletKey } from '../wallet.js';

/** A client's request for a grant. Absent fields get the defaults of the credit type. */
export type CreditGrantRequest = Omit<GrantedBlock, 'blockId' | 'effectiveAt' | 'expiresAt' | 'currency'> & {
  /** The instant from which the credits can be used. If `effectiveAt` is absent, the credits can be used now. */
  effectiveAt?: Instant | undefined;
  /**
   * If `expiresAt` is null, the credits never expire. If `expiresAt` is absent, the credits expire after the `expiresAfterDays` of the
   * credit type.
   */
  expiresAt?: Instant | null | undefined;
  currency?: string | undefined;
};

/** The parts of the price of a purchase that went back at the payment processor. Each part is between 0 and 1. */
export interface ReturnedShares {
  readonly refunded: DecimalString;
  /** The part that was lost in disputes. */
  readonly lost: DecimalString;
  /** The part of disputes that the bank has not decided. */
  readonly disputed: DecimalString;
}

/** A client's request for a purchase. Absent fields get the defaults of the credit type. */
export type CreditPurchaseRequest = Pick<CreditPurchase, 'amount' | 'collection' | 'description'> & {
  unitPrice?: DecimalString | undefined;
  currency?: string | undefined;
  expiresAt?: Instant | null | undefined;
};

/** The terms of a credit type that a wallet needs. */
export type CreditTerms = Pick<CreditTypeDetails, 'currency' | 'expiresAfterDays'>;

export type WalletCommand = WalletKey & {
  /** The workspace's time at which the wallet changes. */
  at: Instant;
  /** The id of the block to buy if the balance after the command makes an automatic top-up due. */
  topUpBlockId: string;
} & (
    | { type: 'GrantCredits'; blockId: string; grant: CreditGrantRequest; terms: CreditTerms }
    /**
     * Records the credits that usage has drawn up to a position of the usage log. Does nothing if that usage was recorded already. With
     * `inTrial`, the credits that no block covered are not billed.
     */
    | { type: 'DrawDownCredits'; draws: readonly UsageDraw[]; upTo: string; inTrial?: boolean }
    /**
     * Records that usage was refused, because it costs more than the balance. `required` is the number of credits that it costs. Does
     * nothing if the wallet has no automatic top-up, or if the balance covers the usage now.
     */
    | { type: 'RecordRefusal'; required: DecimalString }
    /** Expires the remaining credits of a block at the block's expiry. */
    | { type: 'ExpireBlock'; blockId: string }
    /**
     * Takes back the remaining credits of a block. With `creditNote`, a credit note on the invoice of the block gives back the price of the
     * remaining credits.
     */
    | { type: 'VoidBlock'; blockId: string; reason: string | null; creditNote: boolean }
    /** Takes back an amount from the usable blocks, in the order in which usage draws them. */
    | { type: 'VoidCredits'; amount: DecimalString; reason: string | null }
    /**
     * Grants an allowance for an interval. Does nothing if the allowance was already granted for the interval. The remaining credits of the
     * earlier interval's block expire. The part of the earlier block that rolls over is added to the new block. After a change of plan within
     * the interval, `onPlanChange` of the allowance says what is granted.
     */
    | {
        type: 'GrantAllowance';
        blockId: string;
        subscriptionId: string;
        allowance: CreditAllowance;
        period: Period;
        /** The newest change to the plan of the allowance. Null if the subscription began with the plan. */
        planChange: { readonly amendmentId: string; readonly at: Instant } | null;
        /** The credits that all allowances of the plan give together in an interval, in this credit type. */
        planCredits: DecimalString;
        terms: Pick<CreditTerms, 'currency'>;
      }
    /** Ends the remaining credits of an allowance. Does nothing if the allowance has no credits left. */
    | { type: 'EndAllowance'; blockId: string }
    /**
     * Bills all overage on an invoice, and shows all used credits on it. Does nothing if the wallet has no overage and no used credits.
     * `unitPrice` is the price of one credit of overage. With `needsOverage`, the command also does nothing without overage, because the
     * invoice would be created only to bill overage.
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
     * Makes the credits of a paid purchase usable. Does nothing if the credits are usable already. `costBasis` is the amount of the
     * invoice's line without taxes.
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
    /** Records that the invoice of a purchase was written off. Does nothing if this is recorded, or if the purchase has ended already. */
    | { type: 'WriteOffPurchase'; blockId: string }
    /**
     * Applies the part of a purchase's price that went back at the payment processor to the credits of its block. The shares are between 0
     * and 1. `taxes` are those in the refunded and the lost part of the price. Does nothing if the shares were applied already, or if the
     * block has no credits left.
     */
    | {
        type: 'ReturnPurchase';
        blockId: string;
        shares: ReturnedShares;
        taxes: readonly TaxAmount[];
        policy: ReturnedPurchasePolicy;
      }
    | {
        type: 'SetAutoTopUp';
        autoTopUp: AutoTopUpSettings;
        /** The settings that the command was made from. If `madeFrom` is absent, the present settings do not matter. */
        madeFrom?: AutoTopUpSettings | null;
      }
    | { type: 'RemoveAutoTopUp' }
    /** Buys credits if the automatic top-up is due. */
    | { type: 'TopUpCredits' }
  );

/** The wallet command of a given type. */
export type WalletCommandOf<Type extends WalletCommand['type']> = Extract<WalletCommand, { type: Type }>;
