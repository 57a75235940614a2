// A user's program in C++: nothing but the installed header and library. Arguments as those of user.c.
#include <capstan/capstan.h>

#include <iostream>
#include <string>

namespace
{

class model
{
public:
  explicit model(const char *path) { code_ = capstan_open(path, 0, nullptr, &model_); }
  ~model() { capstan_close(model_); }
  model(const model &) = delete;
  model &operator=(const model &) = delete;
  capstan_code code() const { return code_; }
  std::string message() const { return capstan_message(model_); }
  capstan_code run(const char *result, const capstan_options &options)
  {
    return capstan_run(model_, result, &options);
  }

private:
  capstan_model *model_ = nullptr;
  capstan_code code_;
};

void count(void *self, const char *, double, double, const char *)
{
  ++*static_cast<int *>(self);
}

} // namespace

int main(int argc, char **argv)
{
  if (argc != 4) return 9;
  model misspelt(argv[2]);
  if (misspelt.code() != CAPSTAN_BAD_INPUT || misspelt.message().find("tensoiner") == std::string::npos)
    return 1;

  int reports = 0;
  capstan_options options = capstan_options();
  options.size = sizeof options;
  options.progress = count;
  options.self = &reports;
  model good(argv[1]);
  if (good.code() != CAPSTAN_OK || good.run(argv[3], options) != CAPSTAN_OK || reports == 0) {
    std::cerr << good.message();
    return 1;
  }
  std::cout << "capstan " << capstan_version() << "\n";
  return 0;
}
