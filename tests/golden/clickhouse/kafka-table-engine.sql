-- kafka-table-engine:103
CREATE TABLE github_queue
(
    file_time DateTime,
    event_type Enum('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    actor_login LowCardinality(String),
    repo_name LowCardinality(String),
    created_at DateTime,
    updated_at DateTime,
    action Enum('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    comment_id UInt64,
    path String,
    ref LowCardinality(String),
    ref_type Enum('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    creator_user_login LowCardinality(String),
    number UInt32,
    title String,
    labels Array(LowCardinality(String)),
    state Enum('none' = 0, 'open' = 1, 'closed' = 2),
    assignee LowCardinality(String),
    assignees Array(LowCardinality(String)),
    closed_at DateTime,
    merged_at DateTime,
    merge_commit_sha String,
    requested_reviewers Array(LowCardinality(String)),
    merged_by LowCardinality(String),
    review_comments UInt32,
    member_login LowCardinality(String)
)
ENGINE = Kafka()
SETTINGS kafka_broker_list='<host>:<port>',
         kafka_topic_list='github',
         kafka_group_name='clickhouse',
         kafka_format = 'JSONEachRow',
         kafka_thread_per_consumer = 0, 
         kafka_num_consumers = 1,
         -- Connecting to a Confluent Cloud broker using
         -- simple username/password authentication
         kafka_security_protocol='sasl_ssl',
         kafka_sasl_mechanism = 'PLAIN',
         kafka_sasl_username = '<username>',
         kafka_sasl_password = '<password>';
---- ir
CreateTable
  name: github_queue
  column file_time: DateTime
  column event_type: Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22)
  column actor_login: LowCardinality(String)
  column repo_name: LowCardinality(String)
  column created_at: DateTime
  column updated_at: DateTime
  column action: Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20)
  column comment_id: UInt64
  column path: String
  column ref: LowCardinality(String)
  column ref_type: Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4)
  column creator_user_login: LowCardinality(String)
  column number: UInt32
  column title: String
  column labels: Array(LowCardinality(String))
  column state: Enum8('none' = 0, 'open' = 1, 'closed' = 2)
  column assignee: LowCardinality(String)
  column assignees: Array(LowCardinality(String))
  column closed_at: DateTime
  column merged_at: DateTime
  column merge_commit_sha: String
  column requested_reviewers: Array(LowCardinality(String))
  column merged_by: LowCardinality(String)
  column review_comments: UInt32
  column member_login: LowCardinality(String)
  engine: Kafka
  setting kafka_broker_list = '<host>:<port>'
  setting kafka_topic_list = 'github'
  setting kafka_group_name = 'clickhouse'
  setting kafka_format = 'JSONEachRow'
  setting kafka_thread_per_consumer = 0
  setting kafka_num_consumers = 1
  setting kafka_security_protocol = 'sasl_ssl'
  setting kafka_sasl_mechanism = 'PLAIN'
  setting kafka_sasl_username = '<username>'
  setting kafka_sasl_password = '<password>'
---- show create
CREATE TABLE default.github_queue
(
    `file_time` DateTime,
    `event_type` Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    `actor_login` LowCardinality(String),
    `repo_name` LowCardinality(String),
    `created_at` DateTime,
    `updated_at` DateTime,
    `action` Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    `comment_id` UInt64,
    `path` String,
    `ref` LowCardinality(String),
    `ref_type` Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    `creator_user_login` LowCardinality(String),
    `number` UInt32,
    `title` String,
    `labels` Array(LowCardinality(String)),
    `state` Enum8('none' = 0, 'open' = 1, 'closed' = 2),
    `assignee` LowCardinality(String),
    `assignees` Array(LowCardinality(String)),
    `closed_at` DateTime,
    `merged_at` DateTime,
    `merge_commit_sha` String,
    `requested_reviewers` Array(LowCardinality(String)),
    `merged_by` LowCardinality(String),
    `review_comments` UInt32,
    `member_login` LowCardinality(String)
)
ENGINE = Kafka
SETTINGS kafka_broker_list = '<host>:<port>', kafka_topic_list = 'github', kafka_group_name = 'clickhouse', kafka_format = 'JSONEachRow', kafka_thread_per_consumer = 0, kafka_num_consumers = 1, kafka_security_protocol = 'sasl_ssl', kafka_sasl_mechanism = 'PLAIN', kafka_sasl_username = '<username>', kafka_sasl_password = '[HIDDEN]'
--------------------------------------------------------------------------------
-- kafka-table-engine:177
CREATE NAMED COLLECTION my_kafka_cluster AS
  kafka_broker_list = '<host>:<port>',
  kafka_security_protocol='sasl_ssl',
  kafka_sasl_mechanism = 'PLAIN',
  kafka_sasl_username = '<username>',
  kafka_sasl_password = '<password>';
---- ir
CreateNamedCollection
  name: 'my_kafka_cluster'
  value kafka_broker_list = '<host>:<port>'
  value kafka_security_protocol = 'sasl_ssl'
  value kafka_sasl_mechanism = 'PLAIN'
  value kafka_sasl_username = '<username>'
  value kafka_sasl_password = '<password>'
---- show create
CREATE NAMED COLLECTION my_kafka_cluster AS kafka_broker_list = '<host>:<port>', kafka_security_protocol = 'sasl_ssl', kafka_sasl_mechanism = 'PLAIN', kafka_sasl_username = '<username>', kafka_sasl_password = '[HIDDEN]'
--------------------------------------------------------------------------------
-- kafka-table-engine:188
CREATE TABLE github_queue
(
    file_time DateTime,
    event_type Enum('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    actor_login LowCardinality(String),
    repo_name LowCardinality(String),
    created_at DateTime,
    updated_at DateTime,
    action Enum('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    comment_id UInt64,
    path String,
    ref LowCardinality(String),
    ref_type Enum('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    creator_user_login LowCardinality(String),
    number UInt32,
    title String,
    labels Array(LowCardinality(String)),
    state Enum('none' = 0, 'open' = 1, 'closed' = 2),
    assignee LowCardinality(String),
    assignees Array(LowCardinality(String)),
    closed_at DateTime,
    merged_at DateTime,
    merge_commit_sha String,
    requested_reviewers Array(LowCardinality(String)),
    merged_by LowCardinality(String),
    review_comments UInt32,
    member_login LowCardinality(String)
)
ENGINE = Kafka(my_kafka_cluster)
SETTINGS kafka_topic_list='github',
         kafka_group_name='clickhouse',
         kafka_format = 'JSONEachRow',
         kafka_thread_per_consumer = 0, 
         kafka_num_consumers = 1;
---- ir
CreateTable
  name: github_queue
  column file_time: DateTime
  column event_type: Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22)
  column actor_login: LowCardinality(String)
  column repo_name: LowCardinality(String)
  column created_at: DateTime
  column updated_at: DateTime
  column action: Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20)
  column comment_id: UInt64
  column path: String
  column ref: LowCardinality(String)
  column ref_type: Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4)
  column creator_user_login: LowCardinality(String)
  column number: UInt32
  column title: String
  column labels: Array(LowCardinality(String))
  column state: Enum8('none' = 0, 'open' = 1, 'closed' = 2)
  column assignee: LowCardinality(String)
  column assignees: Array(LowCardinality(String))
  column closed_at: DateTime
  column merged_at: DateTime
  column merge_commit_sha: String
  column requested_reviewers: Array(LowCardinality(String))
  column merged_by: LowCardinality(String)
  column review_comments: UInt32
  column member_login: LowCardinality(String)
  engine: Kafka of my_kafka_cluster {}
  setting kafka_topic_list = 'github'
  setting kafka_group_name = 'clickhouse'
  setting kafka_format = 'JSONEachRow'
  setting kafka_thread_per_consumer = 0
  setting kafka_num_consumers = 1
---- show create
CREATE TABLE default.github_queue
(
    `file_time` DateTime,
    `event_type` Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    `actor_login` LowCardinality(String),
    `repo_name` LowCardinality(String),
    `created_at` DateTime,
    `updated_at` DateTime,
    `action` Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    `comment_id` UInt64,
    `path` String,
    `ref` LowCardinality(String),
    `ref_type` Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    `creator_user_login` LowCardinality(String),
    `number` UInt32,
    `title` String,
    `labels` Array(LowCardinality(String)),
    `state` Enum8('none' = 0, 'open' = 1, 'closed' = 2),
    `assignee` LowCardinality(String),
    `assignees` Array(LowCardinality(String)),
    `closed_at` DateTime,
    `merged_at` DateTime,
    `merge_commit_sha` String,
    `requested_reviewers` Array(LowCardinality(String)),
    `merged_by` LowCardinality(String),
    `review_comments` UInt32,
    `member_login` LowCardinality(String)
)
ENGINE = Kafka(my_kafka_cluster)
SETTINGS kafka_topic_list = 'github', kafka_group_name = 'clickhouse', kafka_format = 'JSONEachRow', kafka_thread_per_consumer = 0, kafka_num_consumers = 1
--------------------------------------------------------------------------------
-- kafka-table-engine:235
CREATE TABLE github_queue
(
    file_time DateTime,
    event_type Enum('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    actor_login LowCardinality(String),
    repo_name LowCardinality(String),
    created_at DateTime,
    updated_at DateTime,
    action Enum('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    comment_id UInt64,
    path String,
    ref LowCardinality(String),
    ref_type Enum('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    creator_user_login LowCardinality(String),
    number UInt32,
    title String,
    labels Array(LowCardinality(String)),
    state Enum('none' = 0, 'open' = 1, 'closed' = 2),
    assignee LowCardinality(String),
    assignees Array(LowCardinality(String)),
    closed_at DateTime,
    merged_at DateTime,
    merge_commit_sha String,
    requested_reviewers Array(LowCardinality(String)),
    merged_by LowCardinality(String),
    review_comments UInt32,
    member_login LowCardinality(String)
)
ENGINE = Kafka()
SETTINGS kafka_broker_list='<host>:<port>',
         kafka_topic_list='github',
         kafka_group_name='clickhouse',
         kafka_format = 'JSONEachRow',
         kafka_thread_per_consumer = 0, 
         kafka_num_consumers = 1,
         -- Connecting to a Kafka broker using simple
         -- username/password authentication
         kafka_security_protocol='sasl_ssl',
         kafka_sasl_mechanism = 'PLAIN',
         kafka_sasl_username = '<username>',
         kafka_sasl_password = '<password>';
---- ir
CreateTable
  name: github_queue
  column file_time: DateTime
  column event_type: Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22)
  column actor_login: LowCardinality(String)
  column repo_name: LowCardinality(String)
  column created_at: DateTime
  column updated_at: DateTime
  column action: Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20)
  column comment_id: UInt64
  column path: String
  column ref: LowCardinality(String)
  column ref_type: Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4)
  column creator_user_login: LowCardinality(String)
  column number: UInt32
  column title: String
  column labels: Array(LowCardinality(String))
  column state: Enum8('none' = 0, 'open' = 1, 'closed' = 2)
  column assignee: LowCardinality(String)
  column assignees: Array(LowCardinality(String))
  column closed_at: DateTime
  column merged_at: DateTime
  column merge_commit_sha: String
  column requested_reviewers: Array(LowCardinality(String))
  column merged_by: LowCardinality(String)
  column review_comments: UInt32
  column member_login: LowCardinality(String)
  engine: Kafka
  setting kafka_broker_list = '<host>:<port>'
  setting kafka_topic_list = 'github'
  setting kafka_group_name = 'clickhouse'
  setting kafka_format = 'JSONEachRow'
  setting kafka_thread_per_consumer = 0
  setting kafka_num_consumers = 1
  setting kafka_security_protocol = 'sasl_ssl'
  setting kafka_sasl_mechanism = 'PLAIN'
  setting kafka_sasl_username = '<username>'
  setting kafka_sasl_password = '<password>'
---- show create
CREATE TABLE default.github_queue
(
    `file_time` DateTime,
    `event_type` Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    `actor_login` LowCardinality(String),
    `repo_name` LowCardinality(String),
    `created_at` DateTime,
    `updated_at` DateTime,
    `action` Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    `comment_id` UInt64,
    `path` String,
    `ref` LowCardinality(String),
    `ref_type` Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    `creator_user_login` LowCardinality(String),
    `number` UInt32,
    `title` String,
    `labels` Array(LowCardinality(String)),
    `state` Enum8('none' = 0, 'open' = 1, 'closed' = 2),
    `assignee` LowCardinality(String),
    `assignees` Array(LowCardinality(String)),
    `closed_at` DateTime,
    `merged_at` DateTime,
    `merge_commit_sha` String,
    `requested_reviewers` Array(LowCardinality(String)),
    `merged_by` LowCardinality(String),
    `review_comments` UInt32,
    `member_login` LowCardinality(String)
)
ENGINE = Kafka
SETTINGS kafka_broker_list = '<host>:<port>', kafka_topic_list = 'github', kafka_group_name = 'clickhouse', kafka_format = 'JSONEachRow', kafka_thread_per_consumer = 0, kafka_num_consumers = 1, kafka_security_protocol = 'sasl_ssl', kafka_sasl_mechanism = 'PLAIN', kafka_sasl_username = '<username>', kafka_sasl_password = '[HIDDEN]'
--------------------------------------------------------------------------------
-- kafka-table-engine:292
CREATE TABLE github AS github_queue
ENGINE = MergeTree()
ORDER BY (event_type, repo_name, created_at);
---- ir
CreateTable
  name: github
  engine: MergeTree
  like: github_queue
  order_by: ('event_type', 'repo_name', 'created_at')
---- show create
CREATE TABLE default.github
(
    `file_time` DateTime,
    `event_type` Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    `actor_login` LowCardinality(String),
    `repo_name` LowCardinality(String),
    `created_at` DateTime,
    `updated_at` DateTime,
    `action` Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    `comment_id` UInt64,
    `path` String,
    `ref` LowCardinality(String),
    `ref_type` Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    `creator_user_login` LowCardinality(String),
    `number` UInt32,
    `title` String,
    `labels` Array(LowCardinality(String)),
    `state` Enum8('none' = 0, 'open' = 1, 'closed' = 2),
    `assignee` LowCardinality(String),
    `assignees` Array(LowCardinality(String)),
    `closed_at` DateTime,
    `merged_at` DateTime,
    `merge_commit_sha` String,
    `requested_reviewers` Array(LowCardinality(String)),
    `merged_by` LowCardinality(String),
    `review_comments` UInt32,
    `member_login` LowCardinality(String)
)
ENGINE = MergeTree
ORDER BY (event_type, repo_name, created_at)
--------------------------------------------------------------------------------
-- kafka-table-engine:306
CREATE MATERIALIZED VIEW github_mv TO github AS
SELECT *
FROM github_queue;
---- ir
CreateMaterializedView
  name: github_mv
  target: github
  query: SELECT * FROM github_queue
---- spark
SELECT `github_queue`.`file_time` AS `file_time`, `github_queue`.`event_type` AS `event_type`, `github_queue`.`actor_login` AS `actor_login`, `github_queue`.`repo_name` AS `repo_name`, `github_queue`.`created_at` AS `created_at`, `github_queue`.`updated_at` AS `updated_at`, `github_queue`.`action` AS `action`, `github_queue`.`comment_id` AS `comment_id`, `github_queue`.`path` AS `path`, `github_queue`.`ref` AS `ref`, `github_queue`.`ref_type` AS `ref_type`, `github_queue`.`creator_user_login` AS `creator_user_login`, `github_queue`.`number` AS `number`, `github_queue`.`title` AS `title`, `github_queue`.`labels` AS `labels`, `github_queue`.`state` AS `state`, `github_queue`.`assignee` AS `assignee`, `github_queue`.`assignees` AS `assignees`, `github_queue`.`closed_at` AS `closed_at`, `github_queue`.`merged_at` AS `merged_at`, `github_queue`.`merge_commit_sha` AS `merge_commit_sha`, `github_queue`.`requested_reviewers` AS `requested_reviewers`, `github_queue`.`merged_by` AS `merged_by`, `github_queue`.`review_comments` AS `review_comments`, `github_queue`.`member_login` AS `member_login`
FROM `view of github_queue` AS `github_queue`
---- show create
CREATE MATERIALIZED VIEW default.github_mv TO default.github
AS SELECT *
FROM github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:318
SELECT count() FROM github;
---- ir
Select
  query: SELECT count() FROM github
---- spark
SELECT count(1) AS `count()`
FROM `view of github` AS `github`
--------------------------------------------------------------------------------
-- kafka-table-engine:332
SELECT * FROM clusterAllReplicas('default',system.kafka_consumers)
ORDER BY assignments.partition_id ASC;
---- ir
Select
  query: SELECT * FROM clusterAllReplicas('default',system.kafka_consumers) ORDER BY assignments.partition_id ASC
---- spark
SELECT `kafka_consumers`.`database` AS `database`, `kafka_consumers`.`table` AS `table`, `kafka_consumers`.`assignments.partition_id` AS `assignments.partition_id`
FROM `system_kafka_consumers` AS `kafka_consumers`
ORDER BY `assignments.partition_id` ASC NULLS LAST
--------------------------------------------------------------------------------
-- kafka-table-engine:348
SELECT * FROM clusterAllReplicas('default',system.kafka_consumers)
ORDER BY assignments.partition_id ASC;
---- ir
Select
  query: SELECT * FROM clusterAllReplicas('default',system.kafka_consumers) ORDER BY assignments.partition_id ASC
---- spark
SELECT `kafka_consumers`.`database` AS `database`, `kafka_consumers`.`table` AS `table`, `kafka_consumers`.`assignments.partition_id` AS `assignments.partition_id`
FROM `system_kafka_consumers` AS `kafka_consumers`
ORDER BY `assignments.partition_id` ASC NULLS LAST
--------------------------------------------------------------------------------
-- kafka-table-engine:364
SELECT * FROM system.kafka_consumers
ORDER BY assignments.partition_id ASC;
---- ir
Select
  query: SELECT * FROM system.kafka_consumers ORDER BY assignments.partition_id ASC
---- spark
SELECT `kafka_consumers`.`database` AS `database`, `kafka_consumers`.`table` AS `table`, `kafka_consumers`.`assignments.partition_id` AS `assignments.partition_id`
FROM `system_kafka_consumers` AS `kafka_consumers`
ORDER BY `assignments.partition_id` ASC NULLS LAST
--------------------------------------------------------------------------------
-- kafka-table-engine:388
DETACH TABLE github_queue;
---- ir
Detach
  kind: 'TABLE'
  name: github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:394
ATTACH TABLE github_queue;
---- ir
Attach
  kind: 'TABLE'
  name: github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:404
DETACH TABLE github_queue;
---- ir
Detach
  kind: 'TABLE'
  name: github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:410
ALTER TABLE github
   ADD COLUMN topic String,
   ADD COLUMN partition UInt64;
---- ir
AlterTable
  name: github
  AddColumn: column topic: String
  AddColumn: column partition: UInt64
--------------------------------------------------------------------------------
-- kafka-table-engine:418
DROP VIEW github_mv;
---- ir
Drop
  kind: 'VIEW'
  name: github_mv
--------------------------------------------------------------------------------
-- kafka-table-engine:422
ATTACH TABLE github_queue;
---- ir
Attach
  kind: 'TABLE'
  name: github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:426
CREATE MATERIALIZED VIEW github_mv TO github AS
SELECT *, _topic as topic, _partition as partition
FROM github_queue;
---- ir
CreateMaterializedView
  name: github_mv
  target: github
  query: SELECT *, _topic as topic, _partition as partition FROM github_queue
---- spark
SELECT `github_queue`.`file_time` AS `file_time`, `github_queue`.`event_type` AS `event_type`, `github_queue`.`actor_login` AS `actor_login`, `github_queue`.`repo_name` AS `repo_name`, `github_queue`.`created_at` AS `created_at`, `github_queue`.`updated_at` AS `updated_at`, `github_queue`.`action` AS `action`, `github_queue`.`comment_id` AS `comment_id`, `github_queue`.`path` AS `path`, `github_queue`.`ref` AS `ref`, `github_queue`.`ref_type` AS `ref_type`, `github_queue`.`creator_user_login` AS `creator_user_login`, `github_queue`.`number` AS `number`, `github_queue`.`title` AS `title`, `github_queue`.`labels` AS `labels`, `github_queue`.`state` AS `state`, `github_queue`.`assignee` AS `assignee`, `github_queue`.`assignees` AS `assignees`, `github_queue`.`closed_at` AS `closed_at`, `github_queue`.`merged_at` AS `merged_at`, `github_queue`.`merge_commit_sha` AS `merge_commit_sha`, `github_queue`.`requested_reviewers` AS `requested_reviewers`, `github_queue`.`merged_by` AS `merged_by`, `github_queue`.`review_comments` AS `review_comments`, `github_queue`.`member_login` AS `member_login`, `github_queue`.`_topic` AS `topic`, `github_queue`.`_partition` AS `partition`
FROM `view of github_queue` AS `github_queue`
---- show create
CREATE MATERIALIZED VIEW default.github_mv TO default.github
AS SELECT *, _topic as topic, _partition as partition
FROM github_queue
--------------------------------------------------------------------------------
-- kafka-table-engine:434
SELECT actor_login, event_type, created_at, topic, partition
FROM github
LIMIT 10;
---- ir
Select
  query: SELECT actor_login, event_type, created_at, topic, partition FROM github LIMIT 10
---- spark
SELECT `github`.`actor_login` AS `actor_login`, `github`.`event_type` AS `event_type`, `github`.`created_at` AS `created_at`, `github`.`topic` AS `topic`, `github`.`partition` AS `partition`
FROM `view of github` AS `github`
LIMIT 10
--------------------------------------------------------------------------------
-- kafka-table-engine:527
CREATE TABLE github_out_queue
(
    file_time DateTime,
    event_type Enum('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    actor_login LowCardinality(String),
    repo_name LowCardinality(String),
    created_at DateTime,
    updated_at DateTime,
    action Enum('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    comment_id UInt64,
    path String,
    ref LowCardinality(String),
    ref_type Enum('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    creator_user_login LowCardinality(String),
    number UInt32,
    title String,
    labels Array(LowCardinality(String)),
    state Enum('none' = 0, 'open' = 1, 'closed' = 2),
    assignee LowCardinality(String),
    assignees Array(LowCardinality(String)),
    closed_at DateTime,
    merged_at DateTime,
    merge_commit_sha String,
    requested_reviewers Array(LowCardinality(String)),
    merged_by LowCardinality(String),
    review_comments UInt32,
    member_login LowCardinality(String)
)
   ENGINE = Kafka('host:port', 'github_out', 'clickhouse_out',
            'JSONEachRow') settings kafka_thread_per_consumer = 0, kafka_num_consumers = 1;
---- ir
CreateTable
  name: github_out_queue
  column file_time: DateTime
  column event_type: Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22)
  column actor_login: LowCardinality(String)
  column repo_name: LowCardinality(String)
  column created_at: DateTime
  column updated_at: DateTime
  column action: Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20)
  column comment_id: UInt64
  column path: String
  column ref: LowCardinality(String)
  column ref_type: Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4)
  column creator_user_login: LowCardinality(String)
  column number: UInt32
  column title: String
  column labels: Array(LowCardinality(String))
  column state: Enum8('none' = 0, 'open' = 1, 'closed' = 2)
  column assignee: LowCardinality(String)
  column assignees: Array(LowCardinality(String))
  column closed_at: DateTime
  column merged_at: DateTime
  column merge_commit_sha: String
  column requested_reviewers: Array(LowCardinality(String))
  column merged_by: LowCardinality(String)
  column review_comments: UInt32
  column member_login: LowCardinality(String)
  engine: Kafka('host:port', 'github_out', 'clickhouse_out', 'JSONEachRow')
  setting kafka_thread_per_consumer = 0
  setting kafka_num_consumers = 1
---- show create
CREATE TABLE default.github_out_queue
(
    `file_time` DateTime,
    `event_type` Enum8('CommitCommentEvent' = 1, 'CreateEvent' = 2, 'DeleteEvent' = 3, 'ForkEvent' = 4, 'GollumEvent' = 5, 'IssueCommentEvent' = 6, 'IssuesEvent' = 7, 'MemberEvent' = 8, 'PublicEvent' = 9, 'PullRequestEvent' = 10, 'PullRequestReviewCommentEvent' = 11, 'PushEvent' = 12, 'ReleaseEvent' = 13, 'SponsorshipEvent' = 14, 'WatchEvent' = 15, 'GistEvent' = 16, 'FollowEvent' = 17, 'DownloadEvent' = 18, 'PullRequestReviewEvent' = 19, 'ForkApplyEvent' = 20, 'Event' = 21, 'TeamAddEvent' = 22),
    `actor_login` LowCardinality(String),
    `repo_name` LowCardinality(String),
    `created_at` DateTime,
    `updated_at` DateTime,
    `action` Enum8('none' = 0, 'created' = 1, 'added' = 2, 'edited' = 3, 'deleted' = 4, 'opened' = 5, 'closed' = 6, 'reopened' = 7, 'assigned' = 8, 'unassigned' = 9, 'labeled' = 10, 'unlabeled' = 11, 'review_requested' = 12, 'review_request_removed' = 13, 'synchronize' = 14, 'started' = 15, 'published' = 16, 'update' = 17, 'create' = 18, 'fork' = 19, 'merged' = 20),
    `comment_id` UInt64,
    `path` String,
    `ref` LowCardinality(String),
    `ref_type` Enum8('none' = 0, 'branch' = 1, 'tag' = 2, 'repository' = 3, 'unknown' = 4),
    `creator_user_login` LowCardinality(String),
    `number` UInt32,
    `title` String,
    `labels` Array(LowCardinality(String)),
    `state` Enum8('none' = 0, 'open' = 1, 'closed' = 2),
    `assignee` LowCardinality(String),
    `assignees` Array(LowCardinality(String)),
    `closed_at` DateTime,
    `merged_at` DateTime,
    `merge_commit_sha` String,
    `requested_reviewers` Array(LowCardinality(String)),
    `merged_by` LowCardinality(String),
    `review_comments` UInt32,
    `member_login` LowCardinality(String)
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'host:port', kafka_topic_list = 'github_out', kafka_group_name = 'clickhouse_out', kafka_format = 'JSONEachRow', kafka_thread_per_consumer = 0, kafka_num_consumers = 1
--------------------------------------------------------------------------------
-- kafka-table-engine:562
CREATE MATERIALIZED VIEW github_out_mv TO github_out_queue AS
SELECT file_time, event_type, actor_login, repo_name,
       created_at, updated_at, action, comment_id, path,
       ref, ref_type, creator_user_login, number, title,
       labels, state, assignee, assignees, closed_at, merged_at,
       merge_commit_sha, requested_reviewers, merged_by,
       review_comments, member_login
FROM github
FORMAT JsonEachRow;
---- ir
CreateMaterializedView
  name: github_out_mv
  target: github_out_queue
  query: SELECT file_time, event_type, actor_login, repo_name, created_at, updated_at, action, comment_id, path, ref, ref_type, creator_user_login, number, title, labels, state, assignee, assignees, closed_at, merged_at, merge_commit_sha, requested_reviewers, merged_by, review_comments, member_login FROM github
---- spark
SELECT `github`.`file_time` AS `file_time`, `github`.`event_type` AS `event_type`, `github`.`actor_login` AS `actor_login`, `github`.`repo_name` AS `repo_name`, `github`.`created_at` AS `created_at`, `github`.`updated_at` AS `updated_at`, `github`.`action` AS `action`, `github`.`comment_id` AS `comment_id`, `github`.`path` AS `path`, `github`.`ref` AS `ref`, `github`.`ref_type` AS `ref_type`, `github`.`creator_user_login` AS `creator_user_login`, `github`.`number` AS `number`, `github`.`title` AS `title`, `github`.`labels` AS `labels`, `github`.`state` AS `state`, `github`.`assignee` AS `assignee`, `github`.`assignees` AS `assignees`, `github`.`closed_at` AS `closed_at`, `github`.`merged_at` AS `merged_at`, `github`.`merge_commit_sha` AS `merge_commit_sha`, `github`.`requested_reviewers` AS `requested_reviewers`, `github`.`merged_by` AS `merged_by`, `github`.`review_comments` AS `review_comments`, `github`.`member_login` AS `member_login`
FROM `view of github` AS `github`
---- show create
CREATE MATERIALIZED VIEW default.github_out_mv TO default.github_out_queue
AS SELECT file_time, event_type, actor_login, repo_name,
       created_at, updated_at, action, comment_id, path,
       ref, ref_type, creator_user_login, number, title,
       labels, state, assignee, assignees, closed_at, merged_at,
       merge_commit_sha, requested_reviewers, merged_by,
       review_comments, member_login
FROM github
--------------------------------------------------------------------------------
-- kafka-table-engine:578
SELECT count() FROM github;
---- ir
Select
  query: SELECT count() FROM github
---- spark
SELECT count(1) AS `count()`
FROM `view of github` AS `github`
--------------------------------------------------------------------------------
-- kafka-table-engine:591
INSERT INTO github_queue SELECT * FROM github LIMIT 100 FORMAT JSONEachRow
---- ir
Insert
  name: github_queue
  query: SELECT * FROM github LIMIT 100
---- spark
SELECT `github`.`file_time` AS `file_time`, `github`.`event_type` AS `event_type`, `github`.`actor_login` AS `actor_login`, `github`.`repo_name` AS `repo_name`, `github`.`created_at` AS `created_at`, `github`.`updated_at` AS `updated_at`, `github`.`action` AS `action`, `github`.`comment_id` AS `comment_id`, `github`.`path` AS `path`, `github`.`ref` AS `ref`, `github`.`ref_type` AS `ref_type`, `github`.`creator_user_login` AS `creator_user_login`, `github`.`number` AS `number`, `github`.`title` AS `title`, `github`.`labels` AS `labels`, `github`.`state` AS `state`, `github`.`assignee` AS `assignee`, `github`.`assignees` AS `assignees`, `github`.`closed_at` AS `closed_at`, `github`.`merged_at` AS `merged_at`, `github`.`merge_commit_sha` AS `merge_commit_sha`, `github`.`requested_reviewers` AS `requested_reviewers`, `github`.`merged_by` AS `merged_by`, `github`.`review_comments` AS `review_comments`, `github`.`member_login` AS `member_login`, `github`.`topic` AS `topic`, `github`.`partition` AS `partition`
FROM `view of github` AS `github`
LIMIT 100
--------------------------------------------------------------------------------
-- kafka-table-engine:597
SELECT count() FROM github;
---- ir
Select
  query: SELECT count() FROM github
---- spark
SELECT count(1) AS `count()`
FROM `view of github` AS `github`
