import { Controller, Get, Headers, HttpCode, Param, Post, Query, Redirect, Req } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AddedMethodPayer, GatewayNoticeRecorder } from '#libs/contexts/collection';
import type { InvoiceToPay } from '#libs/contexts/customers';
import { SavedCardAttacher, StripeEventReader } from '#libs/contexts/payments';
import { deriveUuid, InvalidRequest, Unavailable } from '#libs/kernel/core';
import { followUpContext, systemContext, type CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { Public } from '../http/auth/index.js';
import { TakesLong, withTimeLimit } from '../http/index.js';
import { StripeEventReceivedView, StripeEventsQuery } from './payment-gateway.dto.js';

/** The routes that Stripe and the browsers of customers call. The credential of a request is its signature, or the id of the card setup. */
@ApiTags('Payment gateway')
@Public()
@Controller('v1/gateways/stripe')
export class StripeController {
  constructor(
    private readonly events: StripeEventReader,
    private readonly notices: GatewayNoticeRecorder,
    private readonly cards: SavedCardAttacher,
    private readonly addedMethods: AddedMethodPayer,
    private readonly clock: WorkspaceClock,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesLong()
  @ApiOperation({
    summary: 'Receive a webhook of Stripe',
    description:
      'The body is an event of Stripe. The header `Stripe-Signature` must contain a signature of the body with the webhook secret of the ' +
      'workspace, at most five minutes old. Each event is processed once, in whatever order the events arrive. Events of types that ' +
      'Countinghouse does not use are acknowledged and ignored.',
  })
  @ApiOkResponse({ type: StripeEventReceivedView })
  @ApiNotFoundResponse({ description: 'The workspace has no payment gateway.' })
  @ApiConflictResponse({
    description:
      'The event cannot be processed in the present state, such as during another payment of the invoice. Send it again later.',
  })
  async receive(
    @Query() { workspace: workspaceId }: StripeEventsQuery,
    @Headers('stripe-signature') signature: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<StripeEventReceivedView> {
    const body = typeof request.body === 'string' ? request.body : '';
    const event = await this.events.verify(workspaceId, body, signature);
    if (await this.events.isProcessed(workspaceId, event.id)) return { received: true };
    const notice = await this.events.noticeOf(workspaceId, event);
    if (notice)
      await this.notices.record(
        await this.commandContextFor(workspaceId, request.id, ['event', event.id]),
        notice,
      );
    await this.events.storeProcessed(workspaceId, event.id);
    return { received: true };
  }

  @Get('card-setups/:setupId')
  @TakesLong()
  @Redirect('', 303)
  @ApiOperation({
    summary: 'Save the card that a customer has entered, then redirect to the `returnUrl` of the card setup',
    description:
      'The page of Stripe leads the browser here. The parameter `card` of the `returnUrl` then tells the result, such as ' +
      '`saved`.',
  })
  @ApiParam({
    name: 'setupId',
    description: 'The id of the card setup, which is a part of the return URL that Stripe received.',
    example: 'cset_01JD0000000000000000000000',
  })
  @ApiResponse({
    status: 303,
    description: 'Redirects to the `returnUrl`, with `card=saved` or `card=not_saved` added.',
  })
  @ApiConflictResponse({ description: 'The workspace is no longer connected to Stripe.' })
  async cardEntered(
    @Param('setupId') setupId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ url: string }> {
    const { workspaceId, returnUrl, paymentMethodId, purpose } = await this.cards.requireSetup(setupId);
    const context = await this.commandContextFor(workspaceId, request.id, ['card setup', setupId]);
    const saved = await this.cards.attachCardOfSetup(context, setupId);
    if (saved && typeof purpose.pays === 'object')
      await this.payNow(followUpContext(context, 'pay'), purpose.pays, paymentMethodId);
    const url = new URL(returnUrl);
    url.searchParams.set('card', saved ? 'saved' : 'not_saved');
    return { url: url.href };
  }

  /**
   * Charges the invoice for which a card was entered, so that its page shows the result when the customer returns. Waits a while at most.
   * If the result is unknown then, or a payment from the balance is in progress, the page says so, and the saga completes the payment.
   */
  private async payNow(
    context: CommandContext,
    { invoiceId, amount }: InvoiceToPay,
    paymentMethodId: string,
  ): Promise<void> {
    const payment = this.addedMethods.pay(context, invoiceId, paymentMethodId, amount);
    await withTimeLimit(payment).catch((error: unknown) => {
      const isBeingPaid = error instanceof InvalidRequest && error.code === 'payment_in_progress';
      if (!isBeingPaid && !(error instanceof Unavailable)) throw error;
    });
  }

  private async commandContextFor(
    workspaceId: string,
    correlationId: string,
    cause: readonly string[],
  ): Promise<CommandContext> {
    return systemContext({
      workspaceId,
      now: await this.clock.now(workspaceId),
      process: 'stripe',
      correlationId,
      commandId: deriveUuid('stripe', workspaceId, ...cause),
    });
  }
}
