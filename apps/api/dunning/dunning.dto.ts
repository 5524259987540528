import { ApiProperty } from '@nestjs/swagger';
import {
  DUNNING_CHANNELS,
  DUNNING_STATUSES,
  DUNNING_TEMPLATES,
  type DunningChannel,
  type DunningStatus,
  type DunningTemplate,
} from '#libs/contexts/dunning';
import { UNPAID_SUBSCRIPTION_ACTIONS, type UnpaidSubscriptionAction } from '#libs/contexts/invoicing';
import { MAIL_STATUSES, type MailStatus } from '#libs/outputs/mail';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  IdField,
  IntegerField,
  ListView,
  ObjectListField,
  PageQuery,
  SingleLineField,
} from '../http/index.js';

const MAX_STEPS = 12;
const steps = {
  afterDays:
    'The days from the due date of the first overdue invoice to the step. If the last payment attempt is later than the due date, the days ' +
    'are counted from this attempt. A day has 24 hours. ' +
    'Each step has more days than the step before. If a step is late, for example after an outage, the following steps are late too.',
  channel: 'How the step reaches the customer.',
  template: 'The mail that is sent.',
  subscription:
    'What happens to the subscriptions of the overdue invoices. After a step with `pause`, each step needs `pause` or `cancel`. After a ' +
    'step with `cancel`, each step needs `cancel`.',
};
const policies = {
  name: 'The name of the policy, for display.',
  enabled:
    'Whether customers are reminded. If false, no dunning process starts, and running processes end before their next step.',
  steps: 'The steps, in the order of their days.',
};

class DunningStepBody {
  @IntegerField({ min: 0, max: 365, description: steps.afterDays, example: 3 })
  afterDays: number;

  @ChoiceField(DUNNING_CHANNELS, {
    optional: true,
    description: `${steps.channel} The default is email.`,
    example: 'email',
  })
  channel?: DunningChannel;

  @ChoiceField(DUNNING_TEMPLATES, { description: steps.template, example: 'friendly_reminder' })
  template: DunningTemplate;

  @ChoiceField(UNPAID_SUBSCRIPTION_ACTIONS, {
    optional: true,
    description: `${steps.subscription} The default is none.`,
    example: 'none',
  })
  subscription?: UnpaidSubscriptionAction;
}

/** The parts of a dunning policy to change. A field that is left out stays as it is. */
@BodyExample({
  name: 'Reminders, then a pause',
  enabled: true,
  steps: [
    { afterDays: 3, template: 'friendly_reminder' },
    { afterDays: 10, channel: 'email', template: 'final_notice', subscription: 'pause' },
  ],
})
export class ChangeDunningPolicyBody {
  @SingleLineField({ max: 100, optional: true, description: policies.name, example: 'Reminders by mail' })
  name?: string;

  @BooleanField({ optional: true, description: policies.enabled, example: true })
  enabled?: boolean;

  @ObjectListField(() => DunningStepBody, {
    optional: true,
    min: 1,
    max: MAX_STEPS,
    description: policies.steps,
  })
  steps?: DunningStepBody[];
}

class DunningStepView {
  @ApiProperty({ type: 'integer', description: steps.afterDays, example: 3 }) afterDays: number;
  @ApiProperty({ enum: DUNNING_CHANNELS, description: steps.channel }) channel: DunningChannel;
  @ApiProperty({ enum: DUNNING_TEMPLATES, description: steps.template }) template: DunningTemplate;
  @ApiProperty({ enum: UNPAID_SUBSCRIPTION_ACTIONS, description: steps.subscription })
  subscription: UnpaidSubscriptionAction;
}

export class DunningPolicyView {
  @ApiProperty({
    description: 'The id of the policy. Each workspace has only one policy.',
    example: 'default',
  })
  id: string;
  @ApiProperty({ description: policies.name, example: 'Reminders by mail' }) name: string;
  @ApiProperty({ description: policies.enabled, example: true }) enabled: boolean;
  @ApiProperty({ type: [DunningStepView], description: policies.steps }) steps: DunningStepView[];
  @ApiProperty({
    format: 'date-time',
    description:
      'The time of the last change. If the policy was never changed, the time at which the workspace was created.',
  })
  updatedAt: string;
}

export class DunningPolicyList extends ListView {
  @ApiProperty({ type: [DunningPolicyView], description: 'The only dunning policy of the workspace.' })
  data: DunningPolicyView[];
}

class TakenStepView extends DunningStepView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time at which the step was carried out. Null if the step is still to come, or if the process ended before the step.',
  })
  takenAt: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 119.0,
    description:
      'The amount that was due on the overdue invoices when the step was carried out. Null before the step.',
  })
  amount: number | null;
  @ApiProperty({
    type: [String],
    example: ['inv_01JD0000000000000000000000'],
    description: 'The overdue invoices about which the step reminded the customer.',
  })
  invoiceIds: string[];
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'mail_01JD0000000000000000000000',
    description:
      'The id of the mail. Null before the step. There is no mail with this id if the customer has no e-mail address, or paid before the ' +
      'mail was written. Old mail is no longer stored.',
  })
  emailId: string | null;
  @ApiProperty({
    type: String,
    enum: [...MAIL_STATUSES, null],
    nullable: true,
    example: 'sent',
    description:
      'The status of the mail. Null if there is no mail, or if the mail is no longer stored. The status is null in webhooks and in the ' +
      'data export.',
  })
  emailStatus: MailStatus | null;
}

class PolicyOfProcessView {
  @ApiProperty({ example: 'default', description: 'The id of the policy.' }) id: string;
  @ApiProperty({
    example: 'Reminders by mail',
    description: 'The name of the policy when the process started.',
  })
  name: string;
}

export class DunningProcessView {
  @ApiProperty({ example: 'dun_01JD0000000000000000000000', description: 'The id of the process.' })
  id: string;
  @ApiProperty({ example: 'cust_northwind', description: 'The customer who owes the overdue amount.' })
  customerId: string;
  @ApiProperty({ example: 'USD', description: 'The currency of the debt.' }) currency: string;
  @ApiProperty({
    enum: DUNNING_STATUSES,
    description:
      '`active`: more steps follow. `settled`: nothing was overdue any more. `completed`: the last step was taken. `stopped`: the ' +
      'policy was disabled.',
  })
  status: DunningStatus;
  @ApiProperty({ type: PolicyOfProcessView, description: 'The policy that the process follows.' })
  policy: PolicyOfProcessView;
  @ApiProperty({
    type: [String],
    example: ['inv_01JD0000000000000000000000'],
    description:
      'The invoices that are overdue now. If a newer process of the customer has started in this currency, the invoices that were overdue ' +
      'before that.',
  })
  invoiceIds: string[];
  @ApiProperty({ format: 'date-time', description: 'The time at which the process started.' })
  startedAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the next dunning step. Null if no step is left, or if the process has ended.',
  })
  nextStepAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the process ended. Null while it is active.',
  })
  endedAt: string | null;
  @ApiProperty({
    type: [TakenStepView],
    description: 'All steps that the policy had when the process started.',
  })
  steps: TakenStepView[];
}

export class DunningProcessList extends ListView {
  @ApiProperty({ type: [DunningProcessView] }) data: DunningProcessView[];
}

export class DunningProcessQuery extends PageQuery {
  @IdField({
    optional: true,
    description: 'Selects the dunning processes of this customer.',
    example: 'cust_northwind',
  })
  customerId?: string;

  @ChoiceField(DUNNING_STATUSES, {
    optional: true,
    description: 'Only processes with this status.',
    example: 'active',
  })
  status?: DunningStatus;
}
