import { ApiProperty } from '@nestjs/swagger';
import { MAIL_STATUSES, type MailStatus } from '#libs/outputs/mail';
import { ListView } from '../http/index.js';

/** A mail to a customer, with its delivery status. */
export class EmailView {
  @ApiProperty({ example: 'mail_01JD0000000000000000000000', description: 'The id of the mail.' }) id: string;
  @ApiProperty({
    example: 'payment_failed',
    description:
      'The kind of mail: `invoice`, `receipt`, `payment_failed`, `payment_action_required`, `credit_note`, or `dunning_` with the template ' +
      'of a step.',
  })
  kind: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ada@northwind.example',
    description:
      'The address. Null if `JWT_SECRET` was changed after the mail was written, because mail is encrypted with a key that is derived ' +
      'from `JWT_SECRET`.',
  })
  to: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Invoice INV-000042 from Contoso',
    description:
      'The subject. Null if `JWT_SECRET` was changed after the mail was written, because mail is encrypted with a key that is derived ' +
      'from `JWT_SECRET`.',
  })
  subject: string | null;
  @ApiProperty({
    enum: MAIL_STATUSES,
    description:
      '`pending`: the mail waits for an attempt to send it. `sent`: the mail server accepted the mail. `failed`: no further attempt is ' +
      'made. `withheld`: the mail was not sent on purpose; `error` says why. `unknown`: the mail server got the mail, but the ' +
      'connection broke before the mail server answered. Mail with the status `unknown` is not sent again automatically.',
  })
  status: MailStatus;
  @ApiProperty({
    format: 'date-time',
    description: "The time at which the mail was written, by the workspace's clock.",
  })
  writtenAt: string;
  @ApiProperty({
    format: 'date-time',
    description:
      'The time at which the mail got its present status, by the system clock. For `pending`, the time at which the mail was written.',
  })
  at: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '550 No such user',
    description:
      'The reason why the mail was not sent: the answer of the mail server, or why the mail server was not contacted. Null if the mail ' +
      'was sent, before the first attempt, or if `JWT_SECRET` was changed since.',
  })
  error: string | null;
}

export class EmailList extends ListView {
  @ApiProperty({ type: [EmailView] }) data: EmailView[];
}

/** A mail to a customer of a sandbox, with the content of the mail. */
export class SandboxEmailView extends EmailView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'cust_northwind',
    description: 'The customer who gets the mail.',
  })
  customerId: string | null;
  @ApiProperty({
    type: [String],
    example: ['inv_01JD0000000000000000000000'],
    description: 'The invoices that the mail is about.',
  })
  invoiceIds: string[];
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Your invoice INV-000042 is attached.',
    description: 'The plain text of the mail. Null if `to` is null.',
  })
  text: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '<p>Your invoice INV-000042 is attached.</p>',
    description: 'The HTML of the mail. Null if `to` is null.',
  })
  html: string | null;
  @ApiProperty({
    type: [String],
    example: ['invoice'],
    description:
      'The documents that are attached to the mail as PDF files: `invoice`, `receipt` or `credit_note`.',
  })
  attachments: string[];
}

export class SandboxEmailList extends ListView {
  @ApiProperty({ type: [SandboxEmailView] }) data: SandboxEmailView[];
}
