SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA record_model_mock;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE UNLOGGED TABLE record_model_mock.answer (
    question bigint NOT NULL,
    replica text NOT NULL,
    body text NOT NULL
);
CREATE TABLE record_model_mock.counter (
    space bigint NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    last bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE record_model_mock.part (
    space bigint NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    owned boolean NOT NULL
)
WITH (fillfactor='50');
CREATE SEQUENCE record_model_mock.part_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE UNLOGGED TABLE record_model_mock.question (
    id bigint NOT NULL,
    asked timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    body text NOT NULL
);
ALTER TABLE record_model_mock.question ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME record_model_mock.question_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE record_model_mock.record (
    part bigint NOT NULL,
    id bigint NOT NULL,
    deleted boolean NOT NULL,
    owner bigint,
    data text NOT NULL
)
WITH (fillfactor='80');
CREATE SEQUENCE record_model_mock.replica_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE record_model_mock.space (
    id bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    began text NOT NULL,
    extra text,
    used timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT space_kind_check CHECK ((kind = ANY (ARRAY['session'::text, 'snapshot'::text])))
);
ALTER TABLE record_model_mock.space ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME record_model_mock.space_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE record_model_mock.version (
    version integer NOT NULL
);
INSERT INTO record_model_mock.counter VALUES (2, 'brand', 1);
INSERT INTO record_model_mock.counter VALUES (3, 'brand', 1);
INSERT INTO record_model_mock.part VALUES (2, 'brand', 1, false);
INSERT INTO record_model_mock.part VALUES (3, 'brand', 1, false);
INSERT INTO record_model_mock.record VALUES (1, 1, false, NULL, '{"id":1,"created":"2026-11-25T02:40:02Z","createUser":1,"updated":"2026-11-25T02:40:02Z","updateUser":1,"deleted":false,"name":"kept"}');
INSERT INTO record_model_mock.space OVERRIDING SYSTEM VALUE VALUES (1, 'snapshot', '@start', '', NULL, '2026-11-25 02:39:57.336334+00');
INSERT INTO record_model_mock.space OVERRIDING SYSTEM VALUE VALUES (2, 'session', 'default', '@start', NULL, '2026-11-25 02:39:57.340947+00');
INSERT INTO record_model_mock.space OVERRIDING SYSTEM VALUE VALUES (3, 'snapshot', 'before', '', NULL, '2026-11-25 02:40:02.160031+00');
INSERT INTO record_model_mock.space OVERRIDING SYSTEM VALUE VALUES (4, 'session', 'other', '@start', NULL, '2026-11-25 02:40:02.173509+00');
INSERT INTO record_model_mock.version VALUES (1);
SELECT pg_catalog.setval('record_model_mock.part_ids', 1, true);
SELECT pg_catalog.setval('record_model_mock.question_id_seq', 1, false);
SELECT pg_catalog.setval('record_model_mock.replica_numbers', 1, true);
SELECT pg_catalog.setval('record_model_mock.space_id_seq', 4, true);
ALTER TABLE ONLY record_model_mock.answer
    ADD CONSTRAINT answer_pkey PRIMARY KEY (question, replica);
ALTER TABLE ONLY record_model_mock.counter
    ADD CONSTRAINT counter_pkey PRIMARY KEY (space, model);
ALTER TABLE ONLY record_model_mock.part
    ADD CONSTRAINT part_pkey PRIMARY KEY (space, model);
ALTER TABLE ONLY record_model_mock.question
    ADD CONSTRAINT question_pkey PRIMARY KEY (id);
ALTER TABLE ONLY record_model_mock.record
    ADD CONSTRAINT record_pkey PRIMARY KEY (part, id);
ALTER TABLE ONLY record_model_mock.space
    ADD CONSTRAINT space_kind_name_key UNIQUE (kind, name);
ALTER TABLE ONLY record_model_mock.space
    ADD CONSTRAINT space_pkey PRIMARY KEY (id);
CREATE INDEX part_users ON record_model_mock.part USING btree (part);
CREATE INDEX record_live ON record_model_mock.record USING btree (part, id) WHERE (NOT deleted);
CREATE INDEX record_owner ON record_model_mock.record USING btree (part, owner, id) WHERE (owner IS NOT NULL);
ALTER TABLE ONLY record_model_mock.part
    ADD CONSTRAINT part_space_fkey FOREIGN KEY (space) REFERENCES record_model_mock.space(id) ON DELETE CASCADE;
