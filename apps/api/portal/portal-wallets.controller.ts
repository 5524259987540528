import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PurchaseCredits } from '#libs/contexts/credit-purchases';
import { WalletReader } from '#libs/contexts/credits';
import type { PortalPrincipal } from '#libs/contexts/identity';
import { firstMomentAfter, Forbidden, InvalidRequest, StateConflict } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditTypeQueries } from '#projections/credit-types';
import { WalletQueries } from '#projections/wallets';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { Context, PageQuery, readPage } from '../http/index.js';
import { PortalLanguageFinder } from './portal-language.js';
import { InvoicePageUrlFinder } from './invoice-page-url-finder.js';
import {
  PortalCreditList,
  PortalCreditsQuery,
  PortalPurchaseBody,
  PortalPurchaseView,
  PortalWalletList,
} from './portal-wallet.dto.js';
import { presentCreditEntry, presentPortalPurchase, presentPortalWallet } from './present.js';

/** Lets customers see and buy their own prepaid credits. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal')
export class PortalWalletsController {
  constructor(
    private readonly languages: PortalLanguageFinder,
    private readonly commands: CommandBus,
    private readonly creditTypes: CreditTypeQueries,
    private readonly wallets: WalletReader,
    private readonly ledgers: WalletQueries,
    private readonly links: InvoicePageUrlFinder,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get('wallets')
  @ApiOperation({
    summary: 'List the wallets of the customer, one for each credit type',
    description: 'A wallet without credits is listed too, with a balance of 0.',
  })
  @ApiOkResponse({ type: PortalWalletList })
  async list(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
    @Query() page: PageQuery,
  ): Promise<PortalWalletList> {
    const { data: types, ...more } = await readPage(
      page,
      this.creditTypes.listOrder,
      (part) => this.creditTypes.list(workspaceId, part),
      ({ shown }) => shown,
    );
    const names = types.map(({ creditType }) => creditType);
    const [now, language, wallets] = await Promise.all([
      this.clock.now(workspaceId),
      this.languages.find({ workspaceId, customerId }),
      this.wallets.readByCreditTypes(workspaceId, customerId, names),
    ]);
    return {
      data: wallets.map((wallet, i) => presentPortalWallet(wallet, types[i]!, { now, language })),
      ...more,
    };
  }

  @Get('credits')
  @ApiOperation({
    summary: 'List the changes of all wallets of the customer, newest first',
    description: 'Each entry has the change in credits and the balance after it.',
  })
  @ApiOkResponse({ type: PortalCreditList })
  async credits(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
    @Query() { creditType, type, since, until, ...page }: PortalCreditsQuery,
  ): Promise<PortalCreditList> {
    const filter = { customerId, creditType, type, from: since, to: firstMomentAfter(until) };
    return readPage(
      page,
      this.ledgers.listOrder,
      (part) => this.ledgers.ledgerEntries(workspaceId, filter, part),
      presentCreditEntry,
    );
  }

  @Post('wallets/:type/purchase')
  @ApiParam({ name: 'type', description: 'The id of the credit type.', example: 'ai-credits' })
  @ApiOperation({
    summary: 'Buy credits, which are invoiced to the customer; needs `allowCreditPurchases`',
    description:
      'Each credit costs the price of its credit type. The credits can be used as soon as the invoice is paid. If the charge ' +
      'is declined, the answer is still 201: `status` is `pending_payment`, and the invoice can be paid on its page.',
  })
  @ApiCreatedResponse({ type: PortalPurchaseView })
  async purchase(
    @Context() context: CommandContext,
    @CurrentCustomer() { workspaceId, customerId, allowCreditPurchases }: PortalPrincipal,
    @Param('type') creditType: string,
    @Body() { credits: amount, collection = 'charge', idempotencyKey }: PortalPurchaseBody,
  ): Promise<PortalPurchaseView> {
    if (!allowCreditPurchases)
      throw new Forbidden(
        'credit_purchases_not_allowed',
        'This portal session does not allow a purchase of credits',
      );
    const wallet = { customerId, creditType };
    const command = new PurchaseCredits(
      context,
      wallet,
      { amount, collection, description: null },
      // The prefix keeps a key that the customer chooses apart from the seller's keys.
      idempotencyKey === undefined ? undefined : `portal ${idempotencyKey}`,
    );
    const result = await this.commands.execute(command).catch((error: unknown) => {
      throw forCustomers(error);
    });
    const { invoiceId } = result.invoice;
    const pages = await this.links.pageUrlsOf(workspaceId, [invoiceId]);
    return presentPortalPurchase(wallet, result, pages.get(invoiceId)!);
  }
}

/**
 * Returns an error whose message tells the customer how to add a payment method. The message of the original error is written for the
 * seller.
 */
function forCustomers(error: unknown): unknown {
  if (!(error instanceof InvalidRequest) || error.code !== 'no_payment_method') return error;
  return new StateConflict(
    'no_payment_method',
    'The customer has no payment method; add one with POST /v1/portal/payment-methods, or set collection to send_invoice',
  );
}
