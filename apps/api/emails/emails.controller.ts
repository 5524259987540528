import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import { StateConflict, type ListOrder } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { MailCipher, MailStore, type MailContent, type StoredMail } from '#libs/outputs/mail';
import { InvoiceQueries } from '#projections/invoices';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { PageQuery, readPage } from '../http/index.js';
import { EmailList, EmailView, SandboxEmailList, SandboxEmailView } from './email.dto.js';

const order: ListOrder<StoredMail> = {
  list: 'emails',
  keyParts: ['number'],
  keyOf: ({ number }) => [number],
};

@ApiTags('Invoices')
@Controller('v1/invoices/:id/emails')
export class InvoiceEmailsController {
  constructor(
    private readonly mail: MailStore,
    private readonly cipher: MailCipher,
    private readonly invoices: InvoiceQueries,
  ) {}

  @Get()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List the mail about an invoice, newest first, with its delivery status',
    description:
      'Mail is kept for `MAIL_RETENTION_DAYS` (7 by default) after it was written. Pending mail is kept until it is no longer pending.',
  })
  @ApiOkResponse({ type: EmailList })
  async ofInvoice(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<EmailList> {
    await this.invoices.get(workspaceId, id);
    return readPage(
      page,
      order,
      (part) => this.mail.list({ workspaceId, invoiceId: id }, part),
      (mail) => presentEmail(mail, this.cipher),
    );
  }
}

@ApiTags('Sandbox')
@Controller('v1/sandbox/emails')
export class SandboxEmailsController {
  constructor(
    private readonly mail: MailStore,
    private readonly cipher: MailCipher,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get()
  @RequiresPermission('sandbox:read')
  @ApiOperation({
    summary:
      'List the mail to customers of a sandbox, newest first, including mail that the sandbox did not send',
    description:
      'A sandbox sends mail only to the addresses that `sandboxEmailAllowlist` of the billing settings allows.',
  })
  @ApiOkResponse({ type: SandboxEmailList })
  async ofSandbox(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<SandboxEmailList> {
    if ((await this.clock.readMode(workspaceId)) !== 'sandbox')
      throw new StateConflict('not_a_sandbox', 'Only a sandbox workspace shows the content of its mail');
    return readPage(
      page,
      order,
      (part) => this.mail.list({ workspaceId, toCustomers: true }, part),
      (mail) => presentSandboxEmail(mail, this.cipher),
    );
  }
}

function presentEmail(mail: StoredMail, cipher: MailCipher): EmailView {
  const content = cipher.decryptContent(mail.content);
  return withContent(mail, content, cipher);
}

function withContent(mail: StoredMail, content: MailContent | undefined, cipher: MailCipher): EmailView {
  const { id, kind, status, createdAt, writtenAt, endedAt, answer } = mail;
  return {
    id,
    kind,
    to: content?.to.address ?? null,
    subject: content?.subject ?? null,
    status,
    writtenAt: writtenAt ?? createdAt,
    at: endedAt ?? createdAt,
    error: status === 'sent' || answer === null ? null : (cipher.decryptAnswer(answer) ?? null),
  };
}

function presentSandboxEmail(mail: StoredMail, cipher: MailCipher): SandboxEmailView {
  const content = cipher.decryptContent(mail.content);
  return {
    ...withContent(mail, content, cipher),
    customerId: mail.customerId,
    invoiceIds: mail.invoiceIds,
    text: content?.text ?? null,
    html: content?.html ?? null,
    attachments: (content?.attachments ?? []).map(({ document }) => document),
  };
}
