import { Body, Controller, Get, Inject, Param, Post, Redirect, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deriveUuid, InvalidRequest, NotFound, Unavailable } from '#libs/kernel/core';
import { newUlid, systemClock, type Settings } from '#libs/kernel/system';
import { HOSTED_TEST_CARDS } from '#libs/outputs/documents';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import {
  AddedMethodPayer,
  ConfirmPayment,
  GatewayNoticeRecorder,
  PayInvoice,
  InvoicePayments,
  type PaymentResult,
} from '#libs/contexts/collection';
import {
  amountToPay,
  attemptRequiringAction,
  hostedInvoiceUrl,
  isBeingPaid,
  pendingAttempt,
  type Invoice,
} from '#libs/contexts/invoicing';
import type { PaymentMethodPurpose } from '#libs/contexts/customers';
import {
  AddTestPaymentMethod,
  knownRefusalOfAmount,
  PaymentGateways,
  StartCardSetup,
} from '#libs/contexts/payments';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { SETTINGS } from '#libs/kernel/app';
import { Public } from '../http/auth/index.js';
import { CardEntryLimit } from './card-entry-limit.js';
import { HostedPageFilter } from './hosted-page.filter.js';
import { LinkedInvoices } from './linked-invoices.js';
import { setPrivateHeaders } from './page-headers.js';

/**
 * The forms of an invoice's page: pay, enter a card, and confirm a payment at the bank. Each leads the browser back to the page, which shows
 * the result.
 */
@ApiTags('Hosted invoice')
@Public()
@UseFilters(HostedPageFilter)
@Controller('i/:token')
export class HostedPaymentController {
  private readonly cardEntries = new CardEntryLimit();

  constructor(
    private readonly commands: CommandBus,
    private readonly links: LinkedInvoices,
    private readonly payments: InvoicePayments,
    private readonly addedMethods: AddedMethodPayer,
    private readonly gateways: PaymentGateways,
    private readonly notices: GatewayNoticeRecorder,
    private readonly clock: WorkspaceClock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('pay')
  @Redirect('', 303)
  @ApiOperation({
    summary: 'Pay with the card on file, then show the invoice',
    description:
      'A browser sends the form of the page. The answer leads the browser back to the page, which shows the result.',
  })
  @ApiResponse({ status: 303, description: 'Redirects to the page of the invoice, which shows the result.' })
  async pay(
    @Param('token') token: string,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const { amount } = fieldsOf(form);
    const condition = amount === undefined ? {} : { shownAmount: amount };
    const { url } = await this.act(
      token,
      request,
      reply,
      (context, id) => new PayInvoice(context, id, condition),
    );
    return { url: withShownAmount(url, amount) };
  }

  @Post('card')
  @Redirect('', 303)
  @ApiOperation({
    summary:
      'Enter a card and pay with it: a test card in a sandbox, or on the page of the payment processor',
    description:
      'The card becomes the default payment method of the customer. The form field `test` names the test card of a sandbox. The field ' +
      '`amount` is the amount that the page showed: if another amount is due, nothing is charged. One link takes ten cards in ten ' +
      'minutes and thirty in a day, and all links of a workspace take 500 in ten minutes.',
  })
  @ApiResponse({
    status: 303,
    description:
      'Redirects to the page of the payment processor, or to the page of the invoice, which shows the result.',
  })
  @ApiResponse({
    status: 429,
    description: 'Too many cards were entered by this link, or by the links of the workspace.',
  })
  async enterCard(
    @Param('token') token: string,
    @Body() form: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const fields = fieldsOf(form);
    const url = await this.beginCard(token, fields, request, reply);
    setPrivateHeaders(reply);
    return { url: url ?? withShownAmount(`../${token}`, fields.amount) };
  }

  @Post('confirm')
  @Redirect('', 303)
  @ApiOperation({
    summary: 'Confirm a payment, on the page of the bank if the bank has a page',
    description:
      'A bank can ask the customer to confirm a charge. The answer leads the browser to the bank, or back to the page.',
  })
  @ApiResponse({
    status: 303,
    description: 'Redirects to the page of the bank, or to the page of the invoice, which shows the result.',
  })
  async confirm(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const url = await this.pageOfBank(token, reply);
    if (url !== null) {
      setPrivateHeaders(reply);
      return { url };
    }
    return this.act(token, request, reply, (context, id) => new ConfirmPayment(context, id));
  }

  @Get('confirmed')
  @Redirect('', 303)
  @ApiOperation({
    summary: 'Record the result of the confirmation by the bank, then show the invoice',
    description:
      'The bank leads the browser here after the confirmation. The answer leads the browser to the page of the invoice.',
  })
  @ApiResponse({ status: 303, description: 'Redirects to the page of the invoice, which shows the result.' })
  async confirmed(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const attempt = invoice.attempts.at(-1);
    // A customer who comes back with no payment waiting, as by a bookmark, sees the page.
    if (attempt && attempt.method.type === 'card') {
      const context = await this.commandContextFor(workspaceId, invoice, request);
      await this.unlessUnderWay(
        token,
        reply,
        unlessRefused(this.notices.recordCharge(context, invoice.invoiceId, attempt.attemptId)),
      );
    }
    setPrivateHeaders(reply);
    return { url: `../${token}` };
  }

  /**
   * Adds a test card and pays the invoice with it. In a live workspace, begins the entry of a card on the page of the payment processor and
   * returns the URL of that page. Returns null if the customer is not sent to another page, also if no card can pay the invoice.
   */
  private async beginCard(
    token: string,
    form: FormFields,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | null> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const { invoiceId, customerId } = invoice;
    if (!(await this.takesCard(workspaceId, invoice))) return null;
    const amount = form.amount ?? amountToPay(invoice);
    // The page shows the amount that is due now.
    if (amount !== amountToPay(invoice)) return null;
    const isSandbox = (await this.clock.readMode(workspaceId)) === 'sandbox';
    const test = isSandbox ? HOSTED_TEST_CARDS.find((name) => name === form.test) : undefined;
    if (isSandbox && test === undefined) return null;
    this.cardEntries.count(workspaceId, token);
    const context = await this.commandContextFor(workspaceId, invoice, request);
    const purpose: PaymentMethodPurpose = { makesDefault: true, pays: { invoiceId, amount } };
    if (test === undefined) {
      const returnUrl = withShownAmount(hostedInvoiceUrl(this.settings, token), amount);
      const page = this.commands.execute(new StartCardSetup(context, customerId, returnUrl, purpose));
      return (await unlessGone(page))?.url ?? null;
    }
    // A form that is sent twice adds one card.
    const commandId = deriveUuid('card by link', invoiceId, invoice.attempts.at(-1)?.attemptId ?? '', test);
    const once = { ...context, commandId, idTime: undefined, mayRepeat: true };
    const added = this.commands.execute(new AddTestPaymentMethod(once, customerId, test, undefined, purpose));
    const method = await unlessGone(added);
    if (!method) return null;
    const paying = followUpContext(once, 'pay');
    const payment = this.addedMethods.pay(paying, invoiceId, method.paymentMethodId, amount);
    await this.unlessUnderWay(token, reply, unlessRefused(payment));
    return null;
  }

  /** Tells whether the customer can enter a card for the invoice. While the invoice is being paid, no card is taken. */
  private async takesCard(workspaceId: string, invoice: Invoice): Promise<boolean> {
    const isOwed = invoice.status === 'open' || invoice.status === 'uncollectible';
    if (!isOwed || isBeingPaid(invoice) || !(await this.gateways.find(workspaceId))) return false;
    if (await this.refusesAmount(workspaceId, invoice)) return false;
    return this.payments.canAddPaymentMethod(workspaceId, invoice.customerId);
  }

  /** Tells whether no card can pay the amount due. The page then offers no payment, and a form of an older page charges nothing. */
  private async refusesAmount(workspaceId: string, invoice: Invoice): Promise<boolean> {
    const isSandbox = (await this.clock.readMode(workspaceId)) === 'sandbox';
    const { currency, attempts } = invoice;
    return knownRefusalOfAmount(amountToPay(invoice), currency, isSandbox, attempts.at(-1)) !== undefined;
  }

  /**
   * Returns the URL of the bank's page where the customer confirms the pending payment. Returns null if no payment waits for confirmation,
   * or if the payment is confirmed without a page of the bank.
   */
  private async pageOfBank(token: string, reply: FastifyReply): Promise<string | null> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const attempt = invoice.status === 'draft' ? undefined : attemptRequiringAction(invoice);
    if (!attempt) return null;
    const gateway = await this.gateways.find(workspaceId);
    const returnUrl = `${hostedInvoiceUrl(this.settings, token)}/confirmed`;
    return (await gateway?.beginConfirmation(attempt.attemptId, returnUrl)) ?? null;
  }

  /** Does nothing if the invoice is still a draft, which also has a page, or if no card can pay its amount. */
  private async act(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    command: (context: CommandContext, invoiceId: string) => Command<PaymentResult>,
  ): Promise<{ url: string }> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const context = await this.commandContextFor(workspaceId, invoice, request);
    if (invoice.status !== 'draft' && !(await this.refusesAmount(workspaceId, invoice)))
      await this.unlessUnderWay(
        token,
        reply,
        unlessRefused(this.commands.execute(command(context, invoice.invoiceId))),
      );
    setPrivateHeaders(reply);
    return { url: `../${token}` };
  }

  /**
   * If a payment is in progress, ignores the error that the payment gateway gave no answer. The page tells the customer about the payment
   * in progress, and shows the result later.
   */
  private async unlessUnderWay(token: string, reply: FastifyReply, work: Promise<unknown>): Promise<void> {
    await work.catch(async (error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
      const { invoice } = await this.links.open(token, reply);
      if (!pendingAttempt(invoice)) throw error;
    });
  }

  private async commandContextFor(
    workspaceId: string,
    { customerId }: Invoice,
    request: FastifyRequest,
  ): Promise<CommandContext> {
    return {
      commandId: newUlid(),
      workspaceId,
      actor: { type: 'customer', id: customerId },
      correlationId: request.id,
      causationId: null,
      now: await this.clock.now(workspaceId),
      idTime: systemClock.now(),
      mayRepeat: false,
    };
  }
}

/** The fields of the forms of the page that are sent once and as text. */
interface FormFields {
  /** The amount that the page showed. */
  readonly amount?: string;
  /** The name of a test card. */
  readonly test?: string;
}

function fieldsOf(form: unknown): FormFields {
  const { amount, test } = (form ?? {}) as Record<string, unknown>;
  return {
    ...(typeof amount === 'string' && amount !== '' ? { amount } : {}),
    ...(typeof test === 'string' ? { test } : {}),
  };
}

/** The URL of the page, with the amount that the customer was shown. The page tells the customer if another amount is due. */
function withShownAmount(url: string, amount: string | undefined): string {
  return amount === undefined ? url : `${url}?${new URLSearchParams({ shown: amount }).toString()}`;
}

/** Returns null if the customer, the gateway or the mode of the workspace is gone meanwhile. The page then offers no card. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotFound || error instanceof InvalidRequest) return null;
    throw error;
  }
}

/** Ignores a refusal. The page itself shows the customer the reason of a refusal: the invoice is already paid, being paid, or void. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof InvalidRequest)) throw error;
  });
}
