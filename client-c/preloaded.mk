# What the makefiles of the preloaded libraries, librddp-verbs.so and librddp-sockets.so, share: the library from its own objects and
# librddp's, and its tests with the same objects under the sanitizers.
#
# The including makefile sets NAME; CLIENT_PARTS, the files of librddp that it needs, if not all; TEST_FOLDERS; NOT_THREAD, the tests
# that nothing runs under ThreadSanitizer; FLAGS, further ones of the compiler; LIBS, with which the tests are linked, and LIBRARY_LIBS,
# with which the library is; BESIDE, what else is built, and INSTALLED, what of that is installed. NAME.map says what the library
# exports.

TARGET   := target
PREFIX   ?= /usr/local
CLIENT   := ../client-c
LIBRARY  := $(TARGET)/librddp-$(NAME).so
ALL_OF_CLIENT := $(patsubst $(CLIENT)/src/%.c,%,$(wildcard $(CLIENT)/src/*.c))
CLIENT_PARTS ?= $(ALL_OF_CLIENT)
OBJECTS  := $(patsubst src/%.c,%.o,$(wildcard src/*.c src/*/*.c)) $(CLIENT_PARTS:%=client/%.o)
RELEASE  := $(OBJECTS:%=$(TARGET)/release/%)
HEADERS  := $(wildcard src/*.h src/*/*.h $(CLIENT)/src/*.h $(CLIENT)/include/*.h)
TESTS    := $(patsubst %.c,%,$(notdir $(wildcard $(TEST_FOLDERS:%=%/*_test.c))))
TEST_HEADERS := $(wildcard $(TEST_FOLDERS:%=%/*.h) $(CLIENT)/test/*.h)
MAKEFILES := Makefile $(CLIENT)/preloaded.mk

CFLAGS   := -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden -pthread -Wall -Wextra -Wshadow -Wconversion -Werror $(FLAGS)
OWN      := -include $(CLIENT)/src/own_calls.h
INCLUDES := -Isrc -I$(CLIENT)/include -I$(CLIENT)/src
LDFLAGS  := -shared -pthread -Wl,-z,defs -Wl,-z,now -Wl,-soname,$(notdir $(LIBRARY)) -Wl,--version-script=$(NAME).map
ADDRESS  := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
THREAD   := -O1 -fno-omit-frame-pointer -fsanitize=thread -Wno-error=tsan

vpath %_test.c $(TEST_FOLDERS)

all: $(LIBRARY) $(BESIDE:%=$(TARGET)/%)

$(LIBRARY): $(RELEASE) $(NAME).map
	@echo "  LD $@"
	@$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARY_LIBS)

tests: all $(TESTS:%=$(TARGET)/%-address) $(patsubst %,$(TARGET)/%-thread,$(filter-out $(NOT_THREAD:%=%_test),$(TESTS))) layers

# The files of the library use only those of the layers below them, of librddp not internal.h, and make their system calls themselves.
layers: $(RELEASE)
	@! grep -Hn '"internal.h"' $(wildcard src/*.[ch] src/*/*.[ch])
	@$(CLIENT)/layers $^
	@$(CLIENT)/own-calls $^

# objects KIND,FLAGS: rules for the objects of the library, of librddp and of the tests, compiled with further flags.
define objects
$(TARGET)/$(1)/%.o: src/%.c $(HEADERS) $(MAKEFILES)
	@echo "  CC $$@"
	@mkdir -p $$(@D)
	@$(CC) $(CFLAGS) $(2) $(OWN) $(INCLUDES) -c -o $$@ $$<

$(TARGET)/$(1)/client/%.o: $(CLIENT)/src/%.c $(HEADERS) $(MAKEFILES)
	@echo "  CC $$@"
	@mkdir -p $$(@D)
	@$(CC) $(CFLAGS) $(2) $(OWN) $(INCLUDES) -c -o $$@ $$<

$(TARGET)/$(1)/%_test.o: %_test.c $(HEADERS) $(TEST_HEADERS) $(MAKEFILES)
	@echo "  CC $$@"
	@mkdir -p $$(@D)
	@$(CC) $(CFLAGS) $(2) $(INCLUDES) -Itest -I$(CLIENT)/test -c -o $$@ $$<
endef

$(eval $(call objects,release,))
$(eval $(call objects,address,$(ADDRESS)))
$(eval $(call objects,thread,$(THREAD)))

$(TARGET)/%-address: $(TARGET)/address/%.o $(OBJECTS:%=$(TARGET)/address/%)
	@echo "  LD $@"
	@$(CC) $(CFLAGS) $(ADDRESS) $(LDFLAGS_OF_TEST) -o $@ $^ $(LIBS)

$(TARGET)/%-thread: $(TARGET)/thread/%.o $(OBJECTS:%=$(TARGET)/thread/%)
	@echo "  LD $@"
	@$(CC) $(CFLAGS) $(THREAD) $(LDFLAGS_OF_TEST) -o $@ $^ $(LIBS)

install: all
	install -d $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(LIBRARY) $(INSTALLED:%=$(TARGET)/%) $(DESTDIR)$(PREFIX)/lib

clean:
	rm -rf $(TARGET)

.PHONY: all tests layers install clean
.SECONDARY:
