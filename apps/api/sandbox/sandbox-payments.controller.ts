import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { SandboxReports, type SimulatedDispute } from '#libs/contexts/collection';
import { DISPUTE_DECISIONS, type DisputeDecision } from '#libs/contexts/payments';
import { jsonNumber } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { RequiresPermission } from '../http/auth/index.js';
import { BodyExample, ChoiceField, Context, DecimalField, IdField, SingleLineField } from '../http/index.js';

const AMOUNT =
  'The amount, with at most as many decimals as the currency has. Without it, all that is left of the payment.';

@BodyExample({ invoiceId: 'inv_01JD0000000000000000000000', amount: 40 })
class SimulateRefundBody {
  @IdField({ description: 'An invoice that a card has paid.' })
  invoiceId: string;

  @DecimalField({ above: 0, optional: true, description: AMOUNT, example: 40 })
  amount?: string;
}

@BodyExample({ invoiceId: 'inv_01JD0000000000000000000000', reason: 'product_not_received' })
class SimulateDisputeBody {
  @IdField({ description: 'An invoice that a card has paid.' })
  invoiceId: string;

  @DecimalField({ above: 0, optional: true, description: AMOUNT, example: 40 })
  amount?: string;

  @SingleLineField({
    max: 60,
    optional: true,
    description:
      'The reason for the dispute, in the words of a payment processor. The default is `fraudulent`.',
    example: 'product_not_received',
  })
  reason?: string;
}

@BodyExample({ status: 'lost' })
class CloseDisputeBody {
  @ChoiceField(DISPUTE_DECISIONS, {
    description: '`won`: the seller keeps the money. `lost`: the money stays with the customer.',
    example: 'lost',
  })
  status: DisputeDecision;
}

class SimulatedRefundView {
  @ApiProperty({
    example: 're_01JD0000000000000000000000',
    description: "The simulated processor's id of the refund.",
  })
  id: string;
  @ApiProperty({ example: 'inv_01JD0000000000000000000000' }) invoiceId: string;
  @ApiProperty({ example: 40, description: 'The refunded amount.' }) amount: number;
}

class SimulatedDisputeView {
  @ApiProperty({
    example: 'dp_01JD0000000000000000000000',
    description: "The simulated processor's id of the dispute.",
  })
  id: string;
  @ApiProperty({ example: 'inv_01JD0000000000000000000000' }) invoiceId: string;
  @ApiProperty({ example: 40, description: 'The disputed amount.' }) amount: number;
  @ApiProperty({ example: 'fraudulent', description: 'The reason for the dispute.' }) reason: string;
  @ApiProperty({
    enum: ['needs_response', ...DISPUTE_DECISIONS],
    example: 'needs_response',
    description: '`needs_response` until the dispute is closed.',
  })
  status: string;
}

/** What the simulated payment processor of a sandbox does without a request of Countinghouse. */
@ApiTags('Sandbox')
@Controller('v1/sandbox')
export class SandboxPaymentsController {
  constructor(private readonly reports: SandboxReports) {}

  @Post('refunds')
  @RequiresPermission('sandbox:write')
  @ApiOperation({
    summary: "Refund a card payment as if in the payment processor's dashboard",
    description:
      'Only in a sandbox. The refund is recorded as the webhook of a real payment processor would be: it is in `gatewayRefunds` of the invoice.',
  })
  @ApiCreatedResponse({ type: SimulatedRefundView })
  async refund(
    @Context() context: CommandContext,
    @Body() { invoiceId, amount }: SimulateRefundBody,
  ): Promise<SimulatedRefundView> {
    const refund = await this.reports.refund(context, invoiceId, amount);
    return { id: refund.id, invoiceId, amount: jsonNumber(refund.amount) };
  }

  @Post('disputes')
  @RequiresPermission('sandbox:write')
  @ApiOperation({
    summary: "Dispute a card payment as if the customer's bank asked for the money back",
    description: 'Only in a sandbox. The dispute is in `disputes` of the invoice.',
  })
  @ApiCreatedResponse({ type: SimulatedDisputeView })
  async dispute(
    @Context() context: CommandContext,
    @Body() { invoiceId, amount, reason = 'fraudulent' }: SimulateDisputeBody,
  ): Promise<SimulatedDisputeView> {
    return present(await this.reports.dispute(context, invoiceId, { amount, reason }));
  }

  @Post('disputes/:disputeId/close')
  @HttpCode(200)
  @RequiresPermission('sandbox:write')
  @ApiOperation({
    summary: 'Decide a simulated dispute as the bank would',
    description: '`lost` leaves the money with the customer, and `won` brings it back.',
  })
  @ApiOkResponse({ type: SimulatedDisputeView })
  async closeDispute(
    @Context() context: CommandContext,
    @Param('disputeId') disputeId: string,
    @Body() { status }: CloseDisputeBody,
  ): Promise<SimulatedDisputeView> {
    return present(await this.reports.closeDispute(context, disputeId, status));
  }
}

function present({ id, invoiceId, amount, reason, status }: SimulatedDispute): SimulatedDisputeView {
  return { id, invoiceId, amount: jsonNumber(amount), reason, status };
}
