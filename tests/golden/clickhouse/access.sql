CREATE USER IF NOT EXISTS alice IDENTIFIED WITH sha256_password BY 'secret' HOST LOCAL, IP '10.0.0.0/8' DEFAULT DATABASE shop
---- ir
CreateEntity
  kind: 'USER'
  names: (EntityName(name='alice', table=None),)
  parts: {'authentication': (Identified(kind='sha256_password', password=[HIDDEN], names=()),), 'hosts': Hosts(any=False, local=True, addresses=('10.0.0.0/8',), names=(), patterns=(), likes=()), 'default_database': 'shop'}
  if_not_exists: True
--------------------------------------------------------------------------------
CREATE USER OR REPLACE alice, bob NOT IDENTIFIED HOST NONE
---- ir
CreateEntity
  kind: 'USER'
  names: (EntityName(name='alice', table=None), EntityName(name='bob', table=None))
  parts: {'authentication': (Identified(kind='no_password', password=None, names=()),), 'hosts': Hosts(any=False, local=False, addresses=(), names=(), patterns=(), likes=())}
--------------------------------------------------------------------------------
CREATE USER a IDENTIFIED WITH bcrypt_password BY 'secret', ssl_certificate CN 'a.example' HOST LIKE '10.%' GRANTEES ANY EXCEPT b
---- ir
CreateEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None),)
  parts: {'authentication': (Identified(kind='bcrypt_password', password=[HIDDEN], names=()), Identified(kind='ssl_certificate', password=None, names=('a.example',))), 'hosts': Hosts(any=False, local=False, addresses=(), names=(), patterns=(), likes=('10.%',)), 'grantees': Names(names=(), all=True, but=('b',))}
--------------------------------------------------------------------------------
CREATE USER a IDENTIFIED WITH double_sha1_hash BY '6bb4837eb74329105ee4568dda7dc67ed2ca2ad9' HOST REGEXP '.*' SETTINGS max_execution_time = 5 MIN 1 MAX 10 CONST, PROFILE 'small'
---- ir
CreateEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None),)
  parts: {'authentication': (Identified(kind='double_sha1_password', password=None, names=()),), 'hosts': Hosts(any=False, local=False, addresses=(), names=(), patterns=('.*',), likes=()), 'settings': (Setting(name='max_execution_time', value=5, least=1, most=10, writability='CONST', profile=''), Setting(name='', value=None, least=None, most=None, writability='', profile='small'))}
--------------------------------------------------------------------------------
CREATE USER a VALID UNTIL '2030-01-31'
---- ir
CreateEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None),)
  parts: {'valid_until': datetime.datetime(2030, 1, 31, 0, 0, tzinfo=datetime.timezone.utc)}
--------------------------------------------------------------------------------
ALTER USER IF EXISTS a RENAME TO b IDENTIFIED BY 'secret'
---- ir
AlterEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None),)
  parts: {'authentication': (Identified(kind='sha256_password', password=[HIDDEN], names=()),)}
  if_exists: True
  rename: 'b'
--------------------------------------------------------------------------------
ALTER USER a ADD HOST IP '::1' DROP HOST LOCAL DEFAULT ROLE ALL EXCEPT r
---- ir
AlterEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None),)
  parts: {'more_hosts': Hosts(any=False, local=False, addresses=('::1',), names=(), patterns=(), likes=()), 'fewer_hosts': Hosts(any=False, local=True, addresses=(), names=(), patterns=(), likes=()), 'default_roles': Names(names=(), all=True, but=('r',))}
--------------------------------------------------------------------------------
DROP USER IF EXISTS a, b
---- ir
DropEntity
  kind: 'USER'
  names: (EntityName(name='a', table=None), EntityName(name='b', table=None))
  if_exists: True
--------------------------------------------------------------------------------
CREATE ROLE r1, r2 SETTINGS readonly = 1
---- ir
CreateEntity
  kind: 'ROLE'
  names: (EntityName(name='r1', table=None), EntityName(name='r2', table=None))
  parts: {'settings': (Setting(name='readonly', value=1, least=None, most=None, writability='', profile=''),)}
--------------------------------------------------------------------------------
ALTER ROLE r RENAME TO s
---- ir
AlterEntity
  kind: 'ROLE'
  names: (EntityName(name='r', table=None),)
  rename: 's'
--------------------------------------------------------------------------------
DROP ROLE r
---- ir
DropEntity
  kind: 'ROLE'
  names: (EntityName(name='r', table=None),)
--------------------------------------------------------------------------------
GRANT SELECT(a, b), INSERT ON shop.orders TO alice, r WITH GRANT OPTION
---- ir
Grant
  elements: (GrantElement(privileges=(('SELECT', ('a', 'b')), ('INSERT', ())), target=Target(database='shop', table='orders'), place=Place(line=1, column=7)),)
  to: Names(names=('alice', 'r'), all=False, but=())
  option: True
--------------------------------------------------------------------------------
GRANT ALL ON *.* TO alice
---- ir
Grant
  elements: (GrantElement(privileges=(('ALL', ()),), target=Target(database='*', table='*'), place=Place(line=1, column=7)),)
  to: Names(names=('alice',), all=False, but=())
--------------------------------------------------------------------------------
GRANT ALTER ADD COLUMN, DROP TABLE ON shop.* TO CURRENT_USER
---- ir
Grant
  elements: (GrantElement(privileges=(('ALTER ADD COLUMN', ()), ('DROP TABLE', ())), target=Target(database='shop', table='*'), place=Place(line=1, column=7)),)
  to: Names(names=('\x00current',), all=False, but=())
--------------------------------------------------------------------------------
GRANT NAMED COLLECTION ON kafka TO r
---- ir
Grant
  elements: (GrantElement(privileges=(('NAMED COLLECTION', ()),), target=Target(database=None, table='kafka'), place=Place(line=1, column=7)),)
  to: Names(names=('r',), all=False, but=())
--------------------------------------------------------------------------------
GRANT SYSTEM RELOAD CONFIG, KAFKA ON *.* TO r WITH REPLACE OPTION
---- ir
Grant
  elements: (GrantElement(privileges=(('SYSTEM RELOAD CONFIG', ()), ('KAFKA', ())), target=Target(database='*', table='*'), place=Place(line=1, column=7)),)
  to: Names(names=('r',), all=False, but=())
--------------------------------------------------------------------------------
GRANT r1, r2 TO alice WITH ADMIN OPTION
---- ir
Grant
  roles: ('r1', 'r2')
  to: Names(names=('alice',), all=False, but=())
  option: True
--------------------------------------------------------------------------------
REVOKE GRANT OPTION FOR SELECT ON shop.* FROM alice
---- ir
Revoke
  elements: (GrantElement(privileges=(('SELECT', ()),), target=Target(database='shop', table='*'), place=Place(line=1, column=25)),)
  roles: Names(names=(), all=False, but=())
  to: Names(names=('alice',), all=False, but=())
  option: True
--------------------------------------------------------------------------------
REVOKE ALL ON *.* FROM ALL EXCEPT admin
---- ir
Revoke
  elements: (GrantElement(privileges=(('ALL', ()),), target=Target(database='*', table='*'), place=Place(line=1, column=8)),)
  roles: Names(names=(), all=False, but=())
  to: Names(names=(), all=True, but=('admin',))
--------------------------------------------------------------------------------
REVOKE r1 FROM alice
---- ir
Revoke
  roles: Names(names=('r1',), all=False, but=())
  to: Names(names=('alice',), all=False, but=())
--------------------------------------------------------------------------------
CHECK GRANT SELECT(a) ON shop.orders
---- ir
CheckGrant
  elements: (GrantElement(privileges=(('SELECT', ('a',)),), target=Target(database='shop', table='orders'), place=Place(line=1, column=13)),)
--------------------------------------------------------------------------------
CREATE ROW POLICY IF NOT EXISTS own ON shop.orders FOR SELECT USING customer = currentUser() AND a > 1 AS RESTRICTIVE TO alice, r
---- ir
CreateEntity
  kind: 'ROW POLICY'
  names: (EntityName(name='own', table=Name(table='orders', database='shop', place=Place(line=1, column=40), catalog=None, options=())),)
  parts: {'condition': 'customer = currentUser() AND a > 1', 'restrictive': True, 'to': Names(names=('alice', 'r'), all=False, but=())}
  if_not_exists: True
--------------------------------------------------------------------------------
CREATE POLICY p1, p2 ON shop.a USING 1 TO ALL EXCEPT admin
---- ir
CreateEntity
  kind: 'ROW POLICY'
  names: (EntityName(name='p1', table=Name(table='a', database='shop', place=Place(line=1, column=25), catalog=None, options=())), EntityName(name='p2', table=Name(table='a', database='shop', place=Place(line=1, column=25), catalog=None, options=())))
  parts: {'condition': '1', 'to': Names(names=(), all=True, but=('admin',))}
--------------------------------------------------------------------------------
ALTER ROW POLICY own ON shop.orders USING a = 2 TO NONE
---- ir
AlterEntity
  kind: 'ROW POLICY'
  names: (EntityName(name='own', table=Name(table='orders', database='shop', place=Place(line=1, column=25), catalog=None, options=())),)
  parts: {'condition': 'a = 2', 'to': Names(names=(), all=False, but=())}
--------------------------------------------------------------------------------
DROP ROW POLICY own ON shop.orders, shop.items
---- ir
DropEntity
  kind: 'ROW POLICY'
  names: (EntityName(name='own', table=Name(table='orders', database='shop', place=Place(line=1, column=24), catalog=None, options=())), EntityName(name='own', table=Name(table='items', database='shop', place=Place(line=1, column=37), catalog=None, options=())))
--------------------------------------------------------------------------------
CREATE QUOTA q KEYED BY user_name FOR INTERVAL 1 HOUR MAX queries = 100, errors = 5, FOR RANDOMIZED INTERVAL 2 DAY MAX execution_time = 0.5 TO alice
---- ir
CreateEntity
  kind: 'QUOTA'
  names: (EntityName(name='q', table=None),)
  parts: {'keys': ('user_name',), 'intervals': (Interval(seconds=3600, limits={'queries': 100.0, 'errors': 5.0}, randomized=False), Interval(seconds=172800, limits={'execution_time': 0.5}, randomized=True)), 'to': Names(names=('alice',), all=False, but=())}
--------------------------------------------------------------------------------
ALTER QUOTA q FOR INTERVAL 30 MINUTE NO LIMITS
---- ir
AlterEntity
  kind: 'QUOTA'
  names: (EntityName(name='q', table=None),)
  parts: {'intervals': (Interval(seconds=1800, limits={}, randomized=False),)}
--------------------------------------------------------------------------------
CREATE SETTINGS PROFILE p SETTINGS max_result_rows = 10 MAX 100, max_memory_usage = 1000 READONLY TO r
---- ir
CreateEntity
  kind: 'SETTINGS PROFILE'
  names: (EntityName(name='p', table=None),)
  parts: {'settings': (Setting(name='max_result_rows', value=10, least=None, most=100, writability='', profile=''), Setting(name='max_memory_usage', value=1000, least=None, most=None, writability='CONST', profile='')), 'to': Names(names=('r',), all=False, but=())}
--------------------------------------------------------------------------------
DROP SETTINGS PROFILE IF EXISTS p
---- ir
DropEntity
  kind: 'SETTINGS PROFILE'
  names: (EntityName(name='p', table=None),)
  if_exists: True
--------------------------------------------------------------------------------
SET ROLE r1, r2
---- ir
SetRole
  roles: Names(names=('r1', 'r2'), all=False, but=())
--------------------------------------------------------------------------------
SET ROLE ALL EXCEPT r
---- ir
SetRole
  roles: Names(names=(), all=True, but=('r',))
--------------------------------------------------------------------------------
SET DEFAULT ROLE NONE TO alice
---- ir
SetDefaultRole
  roles: Names(names=(), all=False, but=())
  to: Names(names=('alice',), all=False, but=())
--------------------------------------------------------------------------------
SHOW GRANTS FOR alice
---- ir
ShowGrants
  of: Names(names=('alice',), all=False, but=())
--------------------------------------------------------------------------------
SHOW CREATE USER alice
---- ir
ShowCreateEntity
  kind: 'USER'
  names: (EntityName(name='alice', table=None),)
--------------------------------------------------------------------------------
SHOW CREATE ROW POLICY own ON shop.orders
---- ir
ShowCreateEntity
  kind: 'ROW POLICY'
  names: (EntityName(name='own', table=Name(table='orders', database='shop', place=Place(line=1, column=31), catalog=None, options=())),)
--------------------------------------------------------------------------------
SHOW USERS
---- ir
ShowEntities
  what: 'USERS'
--------------------------------------------------------------------------------
SHOW CURRENT ROLES
---- ir
ShowEntities
  what: 'CURRENT ROLES'
--------------------------------------------------------------------------------
SHOW POLICIES ON shop.orders
---- ir
ShowEntities
  what: 'POLICIES'
  table: shop.orders
--------------------------------------------------------------------------------
SHOW ACCESS
---- ir
ShowEntities
  what: 'ACCESS'
--------------------------------------------------------------------------------
GRANT SELECT ON shop.orders
---- error
SYNTAX_ERROR: Syntax error: expected TO, found the end (line 1, column 28).
--------------------------------------------------------------------------------
GRANT SELECT ON shop.orders TO
---- error
SYNTAX_ERROR: Syntax error: expected the name of a user or role, found the end (line 1, column 31).
--------------------------------------------------------------------------------
CREATE USER a IDENTIFIED WITH sha256_password 'secret'
---- error
SYNTAX_ERROR: Syntax error: expected BY, found a string (line 1, column 47).
--------------------------------------------------------------------------------
CREATE USER a HOST IP '300.1.1.1'
---- error
SYNTAX_ERROR: Syntax error: 300.1.1.1 is no address and no network (line 1, column 20).
--------------------------------------------------------------------------------
CREATE QUOTA q FOR INTERVAL 1 FORTNIGHT MAX queries = 1
---- error
SYNTAX_ERROR: Syntax error: expected a number of SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER, YEAR, found 'FORTNIGHT' (line 1, column 31).
--------------------------------------------------------------------------------
GRANT CURRENT GRANTS ON *.* TO a
---- error
UNSUPPORTED_CLAUSE: GRANT CURRENT GRANTS is not supported (line 1, column 7). Name the privileges.
--------------------------------------------------------------------------------
GRANT NOTHING_SUCH ON *.* TO a
---- error
UNKNOWN_PRIVILEGE: There is no privilege NOTHING_SUCH (line 1, column 7). SHOW PRIVILEGES lists them.
--------------------------------------------------------------------------------
CREATE ROW POLICY p ON shop.orders FOR INSERT USING 1
---- error
UNSUPPORTED_CLAUSE: A row policy for other statements than SELECT is not supported (line 1, column 40).
