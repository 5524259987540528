/**
 * The passwords of at least eight characters that attackers try first: digit runs, keyboard walks, names and common words. They are in
 * lower case.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  00000000 000000000 0123456789 01234567 10203040 11111111 111111111 1111111111 11223344 1122334455 11235813 12121212
  12131415 12312312 123123123 123321123 12341234 12344321 123454321 12345678 12345678a 123456789 1234567890
  1234567891 12345678910 123456789a 1234567a 123456abc 1234abcd 1234qwer 12345qwert 123qweasd 123qweasdzxc 13131313
  147258369 14725836 147852369 159357456 19871987 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2
  20202020 22222222 33333333 44444444 55555555 66666666 741852963 77777777 789456123 87654321 88888888 963852741
  98765432 987654321 9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4 aa123456 aa12345678 aaaaaaaa abc12345
  abc123456 abcd1234 abcdefgh abcdefg1 adminadmin admin123 admin1234 administrator alexander asdasdasd asdf1234
  asdfasdf asdfghjk asdfghjkl babygirl barcelona baseball basketball benjamin butterfly caroline changeme
  changeme1 changeme123 charlie1 chelsea1 chocolate christian cocacola computer computer1 consumer corvette
  danielle december dragon123 elizabeth everything fernando football football1 forever1 freedom1 fuckyou1 garfield
  gfhjkmgfhjkm hello123 helloworld iloveyou iloveyou1 iloveyou2 internet iverson3 jennifer jessica1 jonathan jordan23
  juventus killer123 letmein1 letmein123 lineage2 liverpool liverpool1 login123 loveyou1 manchester marlboro maverick
  mercedes metallica michael1 michelle midnight monkey123 mustang1 nicholas passpass passw0rd passw0rd1 password
  password! password0 password01 password1 password1! password11 password12 password123 password1234 password2
  pokemon1 princess princess1 q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qqqqqqqq qwer1234 qwert123 qwerty12 qwerty123
  qwerty1234 qwerty12345 qwertyui qwertyuiop qweasdzxc qweqweqwe rockyou1 samantha sandbox1 secret123 security
  september shadow123 slipknot spiderman starwars steelers sunshine sunshine1 superman superman1 superstar test1234
  testtest testing1 testpassword tinkerbell trustno1 undertaker victoria welcome1 welcome123 whatever william1
  xxxxxxxx zaq12wsx zaq1zaq1 zaqxswcde zxcvbnm1 zxcvbnm123 zxczxczxc zzzzzzzz p@ssw0rd p@ssword pa$$w0rd
  `.match(/\S+/g),
);
