import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import { ChoiceField, EmailField, ListView } from '../http/index.js';

const INVITATION_STATUSES = ['pending', 'expired', 'accepted', 'revoked'] as const;

export class InviteUserBody {
  @EmailField({ example: 'grace@example.com', description: 'The address that gets the invitation.' })
  email: string;

  @ChoiceField(ROLES, { description: 'The role that the user will have.', example: 'finance' })
  role: Role;
}

export class InvitationView {
  @ApiProperty({ example: 'ivt_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B', description: 'The id of the invitation.' })
  id: string;
  @ApiProperty({
    format: 'email',
    description: 'The address that got the invitation.',
    example: 'grace@example.com',
  })
  email: string;
  @ApiProperty({ enum: ROLES, description: 'The role that the user will have.' }) role: Role;
  @ApiProperty({
    enum: INVITATION_STATUSES,
    description: 'An expired invitation is pending again when it is sent again.',
  })
  status: (typeof INVITATION_STATUSES)[number];
  @ApiProperty({
    description:
      'The id of the user who sent the invitation. For the first admin of a live workspace, the user or the API key that went live.',
    example: 'usr_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B',
  })
  invitedBy: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the invitation.' }) createdAt: string;
  @ApiProperty({ format: 'date-time', description: 'The time of the last mail.' }) sentAt: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time from which the invitation cannot be accepted: 7 days after the last mail.',
  })
  expiresAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the user who accepted the invitation. Null if nobody did.',
    example: null,
  })
  userId: string | null;
}

export class InvitationList extends ListView {
  @ApiProperty({ type: [InvitationView], description: 'The invitations.' }) data: InvitationView[];
}
