import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import { ChoiceField, LineField, ListView } from '../http/index.js';

export class CreateApiKeyBody {
  @LineField({ max: 100, description: 'What the key is for.', example: 'usage collector' })
  name: string;

  @ChoiceField(ROLES, {
    description: 'What the key may do; no more than you may yourself.',
    example: 'ingest',
  })
  role: Role;
}

export class ApiKeyView {
  @ApiProperty({ example: 'key_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' }) id: string;
  @ApiProperty({ description: 'What the key is for.', example: 'usage collector' }) name: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({ description: 'The last four characters of the key.', example: 'x7Qa' }) last4: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'To the minute.' })
  lastUsedAt: string | null;
}

export class NewApiKeyView extends ApiKeyView {
  @ApiProperty({
    description:
      'The key itself. Nothing shows it again but the same request with its `Idempotency-Key`, while that answer is kept: 30 days unless set otherwise.',
    example: 'svc_…',
  })
  key: string;
}

export class ApiKeyList extends ListView {
  @ApiProperty({ type: [ApiKeyView] }) data: ApiKeyView[];
}
